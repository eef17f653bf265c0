// Hands out the blocks of a raw trace, in order of their index in the grid (x fastest).
#include <fmt/format.h>

#include <functional>
#include <queue>
#include <utility>

#include "base/error.hpp"
#include "trace/block_header.hpp"
#include "trace/kernel_file.hpp"
#include "trace/raw_lines.hpp"
#include "trace/raw_runs.hpp"

namespace wg::trace {
namespace {

class RawSource final : public CtaSource {
 public:
  RawSource(std::shared_ptr<const KernelFile> file, std::size_t run_bytes)
      : file_(std::move(file)),
        header_(file_->parsed.header),
        run_bytes_(run_bytes),
        warps_(header_.warps_per_cta()) {}

  bool next(CtaBlob& out) override {
    if (ended_) {
      return false;
    }
    ended_ = true;  // unless this call gets to its end
    if (!grouped_) {
      group();
    }
    const std::uint64_t expected = count_;
    if (heads_.empty() ? expected < header_.grid.count() : heads_.top().first != expected) {
      throw Error(Problem{file_->name, fmt::format("all {} thread blocks of the grid", header_.grid.count()),
                          "no instruction of block " + text_of(block(expected)), ""});
    }
    if (heads_.empty()) {
      return false;
    }
    collect(expected);
    write_block(expected, out);
    ++count_;
    ended_ = false;
    return true;
  }

 private:
  /// One warp of the block being put together.
  struct WarpText {
    std::string text;
    std::uint64_t lines = 0;
  };
  using Head = std::pair<std::uint64_t, std::size_t>;  ///< block and run: runs of a block in file order

  /// Reads the whole file into sorted runs.
  void group() {
    grouped_ = true;
    BlockReader reader = open_body(*file_);
    RunBuilder builder;
    std::shared_ptr<SpillFile> spill;
    const auto write_run = [&] {
      spill = spill ? spill : std::make_shared<SpillFile>();
      const std::uint64_t begin = spill->size();
      spill->append(builder.build());
      runs_.emplace_back(spill, begin, spill->size());
    };
    std::string_view line;
    for (std::uint64_t number = reader.line_number(); reader.line(line); number = reader.line_number()) {
      if (line.find_first_not_of(" \t") == std::string_view::npos) {
        continue;
      }
      RawLine parsed;
      BlockFault fault;
      if (!scan_raw_line(line, header_, parsed, fault)) {
        throw Error(Problem{fmt::format("{}:{}", file_->name, number), std::move(fault.expected),
                            std::move(fault.found), ""});
      }
      builder.add(parsed.cta, parsed.warp, parsed.inst);
      if (builder.bytes() >= run_bytes_) {
        write_run();
      }
    }
    if (builder.bytes() > 0) {
      if (runs_.empty()) {
        runs_.emplace_back(builder.build());
      } else {
        write_run();
      }
    }
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      push_head(run);
    }
  }

  void push_head(std::size_t run) {
    if (const Segment* head = runs_[run].head()) {
      heads_.emplace(head->cta, run);
    }
  }

  void collect(std::uint64_t cta) {
    for (WarpText& warp : warps_) {
      warp.text.clear();
      warp.lines = 0;
    }
    while (!heads_.empty() && heads_.top().first == cta) {
      const std::size_t run = heads_.top().second;
      heads_.pop();
      for (const Segment* head = runs_[run].head(); head != nullptr && head->cta == cta;
           head = runs_[run].head()) {
        WarpText& warp = warps_[head->warp];
        warp.lines += head->lines;
        runs_[run].take(warp.text);
      }
      push_head(run);
    }
  }

  void write_block(std::uint64_t cta, CtaBlob& out) {
    const Dim3 index = block(cta);
    out.number = cta;
    out.offset = 0;
    out.line = 0;
    out.text.clear();
    fmt::format_to(std::back_inserter(out.text), "#BEGIN_TB\n\nthread block = {},{},{}\n", index.x, index.y,
                   index.z);
    for (std::size_t w = 0; w < warps_.size(); ++w) {
      warps_[w].lines = drop_first_halves(warps_[w].text, warps_[w].lines);
      fmt::format_to(std::back_inserter(out.text), "\nwarp = {}\ninsts = {}\n", w, warps_[w].lines);
      out.text += warps_[w].text;
    }
  }

  [[nodiscard]] Dim3 block(std::uint64_t cta) const {
    const Dim3& grid = header_.grid;
    const std::uint64_t row = cta / grid.x;
    return {static_cast<std::uint32_t>(cta % grid.x), static_cast<std::uint32_t>(row % grid.y),
            static_cast<std::uint32_t>(row / grid.y)};
  }

  std::shared_ptr<const KernelFile> file_;
  const KernelHeader& header_;
  std::size_t run_bytes_;
  std::vector<RunReader> runs_;
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads_;
  std::vector<WarpText> warps_;
  std::uint64_t count_ = 0;
  bool grouped_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<CtaSource> make_raw_source(std::shared_ptr<const KernelFile> file, std::size_t run_bytes) {
  return std::make_unique<RawSource>(std::move(file), run_bytes);
}

}  // namespace wg::trace
