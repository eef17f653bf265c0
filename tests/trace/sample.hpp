// Kernels written in tests, opened from memory or from a folder that goes away.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/kernel_file.hpp"
#include "trace/workload.hpp"

namespace wg::trace::test {

/// A header with one warp per block unless told otherwise.
struct HeaderText {
  int version = 5;
  std::string grid = "(1,1,1)";
  std::string block = "(32,1,1)";
  int arch = 70;
  bool line_info = false;
  std::string extra = "";  ///< more lines

  [[nodiscard]] std::string text() const;
};

/// One block with `warps` as the lines of its warps (each line without '\n').
std::string block_text(const std::string& index, const std::vector<std::vector<std::string>>& warps);

/// A kernel of these bytes. The name decides which compression is promised.
std::shared_ptr<const Kernel> kernel_of(std::string bytes, const std::string& name = "kernel.traceg");

/// An instruction in a form that can be compared between decoders.
struct SeenInst {
  std::uint64_t pc = 0;
  std::uint32_t mask = 0;
  std::string mnemonic;
  std::int32_t imm = 0;
  bool has_address = false;
  std::vector<std::uint64_t> addresses;  ///< one per active lane
  friend bool operator==(const SeenInst&, const SeenInst&) = default;
};
struct SeenCta {
  Dim3 index;
  std::vector<std::vector<SeenInst>> warps;
  friend bool operator==(const SeenCta&, const SeenCta&) = default;
};

/// Everything in issue order.
std::vector<SeenCta> read_all(const Kernel& kernel);
std::vector<SeenCta> read_all(const Kernel& kernel, CtaSource& source);

/// The instructions of the only warp of a kernel of version `version` with these lines.
std::vector<SeenInst> insts_of(const HeaderText& header, const std::vector<std::string>& lines);

/// Text of the error that reading the whole kernel ends in; "" if it does not.
std::string error_of(const std::string& bytes, const std::string& name = "kernel.traceg");
/// The same for one warp of these lines.
std::string line_error(const HeaderText& header, const std::vector<std::string>& lines);

/// A folder for one test.
class TempFolder {
 public:
  TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder();
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view bytes) const;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// `text` packed; `suffix` is ".xz", ".gz" or ".zst".
std::string packed(std::string_view text, std::string_view suffix);

}  // namespace wg::trace::test
