// The bytes of a native trace: a mapped file, or memory for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "trace/native_format.hpp"

struct ZSTD_DCtx_s;

namespace wg::trace::native {

/// What a reader refuses. The defaults are for real files; fuzzing looks behind the checksums and keeps
/// small.
struct ReadLimits {
  bool verify = true;                               ///< compare checksums
  std::uint64_t most_raw = std::uint64_t{1} << 31;  ///< bytes of one unpacked section
  std::uint64_t most_insts = 0xFFFFFFFF;            ///< warp instructions of one CTA
};

/// Room for the bytes of a section that is not read in place.
using Unpacked = std::unique_ptr<char[]>;

class FileBytes {
 public:
  /// Maps the file. Throws wg::Error.
  static std::shared_ptr<const FileBytes> map(const std::string& path);
  static std::shared_ptr<const FileBytes> of_memory(std::string name, std::string bytes,
                                                    const ReadLimits& limits = {});
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string_view all() const { return all_; }
  [[nodiscard]] const ReadLimits& limits() const { return limits_; }

  /// The unpacked bytes of a section that lies inside the file: in place where the file holds them so, else
  /// in `storage`. kSlack bytes behind them can be loaded too. Any thread may call it. Throws wg::Error where
  /// the checksum or the packing is wrong.
  std::string_view unpack(const Section& section, std::string_view part, Unpacked& storage) const;

 private:
  FileBytes() : zstd_(nullptr, nullptr) {}
  void decompress(const Section& section, std::string_view stored, std::string_view part, char* to) const;

  std::string name_;
  std::string memory_;
  void* mapped_ = nullptr;
  std::string_view all_;
  ReadLimits limits_;
  // Making a zstd state costs more than unpacking a small section, so that the users of a file share one,
  // made when a section needs it.
  mutable std::mutex zstd_mutex_;
  mutable std::unique_ptr<ZSTD_DCtx_s, std::size_t (*)(ZSTD_DCtx_s*)> zstd_;
};

/// Checks head, tail and footer. Throws wg::Error.
std::vector<FooterCommand> read_commands(const FileBytes& file);

}  // namespace wg::trace::native
