#include "trace/raw_lines.hpp"

#include <string.h>  // memmem

#include <array>

#include "trace/block_reader.hpp"
#include "trace/scan.hpp"

namespace wg::trace {

bool scan_raw_line(std::string_view line, const KernelHeader& header, RawLine& out, BlockFault& fault) {
  std::array<std::uint64_t, 11> ids{};
  const std::size_t count = header.tracer_version >= 6 ? 11 : 4;
  const char* p = skip_blanks(line.data());
  for (std::size_t i = 0; i < count; ++i) {
    p = scan_decimal(p, ids[i]);
    if (p == nullptr || !is_blank(*p) || skip_blanks(p) >= line.data() + line.size()) {
      fault = {line.data(),
               count == 4 ? "block x, y, z and warp before the instruction"
                          : "block, warp, cluster, block in cluster and rank before the instruction",
               quoted(line)};
      return false;
    }
    p = skip_blanks(p);
  }
  const Dim3& grid = header.grid;
  if (ids[0] >= grid.x || ids[1] >= grid.y || ids[2] >= grid.z) {
    fault = {line.data(), "a thread block inside the grid " + text_of(grid), quoted(line)};
    return false;
  }
  if (ids[3] >= header.warps_per_cta()) {
    fault = {line.data(), "a warp below " + std::to_string(header.warps_per_cta()), quoted(line)};
    return false;
  }
  out.cta = linear_index({static_cast<std::uint32_t>(ids[0]), static_cast<std::uint32_t>(ids[1]),
                          static_cast<std::uint32_t>(ids[2])},
                         grid);
  out.warp = static_cast<std::uint32_t>(ids[3]);
  const char* const inst = header.tracer_version < 3 ? line.data() : p;
  out.inst = {inst, static_cast<std::size_t>(line.data() + line.size() - inst)};
  return true;
}

namespace {
constexpr std::string_view kOpcode = " LDGSTS";
}

bool PairFinder::is_second(std::string_view line) {
  const std::size_t at = line.find(kOpcode);
  if (at == std::string_view::npos) {
    first_.clear();
    return false;
  }
  const std::string_view prefix = line.substr(0, line.find_first_of(" \t", at + kOpcode.size()));
  const bool second = prefix == first_;
  first_ = second ? "" : prefix;
  return second;
}

std::uint64_t drop_first_halves(std::string& lines, std::uint64_t count) {
  // memmem: std::string::find would stop at every blank
  if (::memmem(lines.data(), lines.size(), kOpcode.data(), kOpcode.size()) == nullptr) {
    return count;
  }
  PairFinder pairs;
  std::string kept;
  std::size_t last = 0;  // where the line before begins in `kept`
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at) + 1;
    const std::string_view line = std::string_view(lines).substr(at, end - at);
    if (pairs.is_second(line)) {
      kept.resize(last);
      --count;
    }
    last = kept.size();
    kept += line;
    at = end;
  }
  lines.swap(kept);
  return count;
}

std::uint64_t find_raw_line(const KernelFile& file, std::uint64_t cta, std::uint32_t warp,
                            std::uint64_t ordinal) {
  BlockReader reader = open_body(file);
  std::string_view line;
  RawLine parsed;
  BlockFault fault;
  PairFinder pairs;
  std::uint64_t seen = 0;
  std::uint64_t last = reader.line_number();
  for (std::uint64_t number = last; reader.line(line); number = reader.line_number()) {
    if (*skip_blanks(line.data()) == '\0' || !scan_raw_line(line, file.parsed.header, parsed, fault) ||
        parsed.cta != cta || parsed.warp != warp) {
      continue;
    }
    seen += pairs.is_second(parsed.inst) ? 0U : 1U;
    if (seen > ordinal + 1) {
      break;
    }
    last = number;
  }
  return last;
}

}  // namespace wg::trace
