#include "host/uvm/decision_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace wg::host::uvm {
namespace {

constexpr std::uint32_t kLine = 64;

char letter(const BlockView& block, const PageMask& expected, const PageMask& found, std::uint32_t page) {
  if (expected.test(page) != found.test(page)) {
    return found.test(page) ? '+' : '-';
  }
  if (block.faulted.test(page)) {
    return 'F';
  }
  if (block.thrashing.test(page)) {
    return 'T';
  }
  if (block.resident.test(page)) {
    return 'R';
  }
  return found.test(page) ? 'P' : '.';
}

}  // namespace

std::string runs_text(const PageMask& mask) {
  std::string out;
  for (const PageRun& run : runs_of(mask)) {
    out += out.empty() ? "" : ", ";
    out += run.count == 1 ? fmt::format("{}", run.first)
                          : fmt::format("{}-{}", run.first, run.first + run.count - 1);
  }
  return out.empty() ? "none" : out;
}

std::string page_map(const BlockView& block, const PageMask& expected, const PageMask& found) {
  std::string out;
  for (std::uint32_t first = 0; first < block.pages; first += kLine) {
    out += fmt::format("  {:4} ", first);
    for (std::uint32_t page = first; page < std::min(first + kLine, block.pages); ++page) {
      out += page % kBigPages == 0 && page != first ? " " : "";
      out += letter(block, expected, found, page);
    }
    out += '\n';
  }
  return out;
}

std::string tree_text(const DriverRule& rule, const BlockView& block) {
  const TreeShape shape = shape_of(block.start, block.pages);
  const PageMask counted = grown(block).up(shape.offset);
  const PageMask seeds = (block.faulted - block.thrashing).up(shape.offset);
  std::string out = fmt::format("  tree of {} leaves, {} levels, {} phantom leaves in front\n", shape.leaves,
                                shape.levels, shape.offset);
  for (std::uint32_t level = shape.levels; level-- > 0;) {
    for (std::uint32_t first = 0; first < shape.leaves; first += 1U << level) {
      const std::uint32_t end = std::min(first + (1U << level), shape.leaves);
      if (!seeds.any(first, end)) {
        continue;
      }
      const std::uint32_t count = counted.count(first, end);
      const bool passes = count * 100 > (end - first) * rule.threshold;
      out +=
          fmt::format("  level {} leaves {}-{}: {} of {} ({:.1f} %) {} {} %\n", level, first, end - 1, count,
                      end - first, 100.0 * count / (end - first), passes ? ">" : "<=", rule.threshold);
    }
  }
  return out;
}

}  // namespace wg::host::uvm
