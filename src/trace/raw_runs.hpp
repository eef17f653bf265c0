// Sorting a raw trace by block and warp in bounded memory: an external merge sort. Lines are collected into
// runs; a run that does not fit in memory beside the next goes to a temporary file; the runs are merged block
// by block as the blocks are asked for.
#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wg::trace {

/// The lines of one warp inside a run; the text follows it in the run's bytes.
struct Segment {
  std::uint64_t cta = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t warp = 0;
};

/// Collects lines in file order and lays them out in order of block, then warp.
class RunBuilder {
 public:
  void add(std::uint64_t cta, std::uint32_t warp, std::string_view line);
  /// Bytes of text held.
  [[nodiscard]] std::size_t bytes() const { return text_.size(); }
  /// The sorted run; the builder is empty afterwards and keeps its storage.
  std::string build();

 private:
  struct WarpKey {
    std::uint64_t cta;
    std::uint32_t warp;
    friend bool operator==(const WarpKey&, const WarpKey&) = default;
  };
  struct HashKey {
    std::size_t operator()(const WarpKey& key) const {
      return (key.cta * 32 + key.warp) * 0x9E3779B97F4A7C15ULL >> 16;
    }
  };
  struct Line {
    std::uint32_t segment;
    std::uint32_t length;  ///< with '\n'
  };

  std::string text_;
  std::vector<Line> lines_;
  std::vector<Segment> segments_;
  tsl::robin_map<WarpKey, std::uint32_t, HashKey> by_warp_;
};

/// A temporary file without a name: it goes when the program does. Made in $TMPDIR or /tmp.
class SpillFile {
 public:
  SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  void append(std::string_view bytes);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  void read(std::uint64_t offset, char* out, std::size_t count) const;

 private:
  std::string folder_;
  int fd_;
  std::uint64_t size_ = 0;
};

/// Walks over the segments of one run.
class RunReader {
 public:
  /// A run held in memory.
  explicit RunReader(std::string run);
  /// A run that lies in `file` from `begin` to `end`.
  RunReader(std::shared_ptr<const SpillFile> file, std::uint64_t begin, std::uint64_t end);

  /// The present segment; nullptr after the last.
  [[nodiscard]] const Segment* head() const { return has_head_ ? &head_ : nullptr; }
  /// Appends the text of the present segment to `out` and goes to the next.
  void take(std::string& out);

 private:
  void read_head();
  void take_bytes(char* out, std::size_t count);

  std::shared_ptr<const SpillFile> file_;
  std::uint64_t file_at_ = 0;
  std::uint64_t file_end_ = 0;
  std::string buffer_;
  std::size_t at_ = 0;
  Segment head_;
  bool has_head_ = false;
};

}  // namespace wg::trace
