#include "host/uvm/page_mask.hpp"

namespace wg::host::uvm {

PageMask PageMask::up(std::uint32_t pages) const {
  PageMask out;
  const std::uint32_t whole = pages / 64;
  const std::uint32_t part = pages % 64;
  for (std::uint32_t i = whole; i < words_.size(); ++i) {
    out.words_[i] = words_[i - whole] << part;
    if (part != 0 && i > whole) {
      out.words_[i] |= words_[i - whole - 1] >> (64 - part);
    }
  }
  return out;
}

PageMask PageMask::down(std::uint32_t pages) const {
  PageMask out;
  const std::uint32_t whole = pages / 64;
  const std::uint32_t part = pages % 64;
  for (std::uint32_t i = 0; i + whole < words_.size(); ++i) {
    out.words_[i] = words_[i + whole] >> part;
    if (part != 0 && i + whole + 1 < words_.size()) {
      out.words_[i] |= words_[i + whole + 1] << (64 - part);
    }
  }
  return out;
}

std::vector<PageRun> runs_of(const PageMask& mask) {
  std::vector<PageRun> runs;
  mask.each_run([&](const PageRun& run) { runs.push_back(run); });
  return runs;
}

}  // namespace wg::host::uvm
