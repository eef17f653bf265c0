#include "trace/block_header.hpp"

#include <fmt/format.h>

#include <array>

#include "trace/block_reader.hpp"
#include "trace/scan.hpp"

namespace wg::trace {
namespace {

/// "x,y,z" then the end of the line; nullptr otherwise.
const char* scan_triple(const char* p, std::array<std::uint64_t, 3>& out) {
  for (std::size_t i = 0; i < 3; ++i) {
    p = scan_decimal(skip_blanks(p), out[i]);
    if (p == nullptr) {
      return nullptr;
    }
    p = skip_blanks(p);
    if (i < 2 && *p++ != ',') {
      return nullptr;
    }
  }
  return *p == '\n' ? p + 1 : nullptr;
}

/// The optional lines of version 6. Clusters do not enter the model; a wrong line is still a fault.
const char* skip_cluster_lines(const char* p, BlockFault& fault) {
  for (;;) {
    p = skip_empty_lines(p);
    std::array<std::uint64_t, 3> ignored{};
    const char* const at = p;
    if (const char* value = match_key(p, "cluster id")) {
      p = scan_triple(value, ignored);
    } else if (const char* cta = match_key(p, "cluster cta")) {
      p = scan_triple(cta, ignored);
    } else if (const char* rank = match_key(p, "cluster rank")) {
      p = scan_decimal(rank, ignored[0]);
      p = p != nullptr && *skip_blanks(p) == '\n' ? skip_blanks(p) + 1 : nullptr;
    } else {
      return p;
    }
    if (p == nullptr) {
      fault = {at, "`cluster id = x,y,z`, `cluster cta = x,y,z` or `cluster rank = r`", shown_line(at)};
      return nullptr;
    }
  }
}

}  // namespace

std::string text_of(const Dim3& dim) { return fmt::format("({},{},{})", dim.x, dim.y, dim.z); }

std::string_view line_at(const char* p) {
  const char* end = p;
  while (*end != '\n' && *end != '\0') {
    ++end;
  }
  return {p, static_cast<std::size_t>(end - p)};
}

std::string shown_line(const char* p) {
  const std::string_view line = line_at(p);
  if (!line.empty()) {
    return quoted(line);
  }
  return *p == '\0' ? "a zero byte or the end of the text" : "the end of the line";
}

const char* skip_empty_lines(const char* p) {
  while (is_blank(*p) || *p == '\n') {
    ++p;
  }
  return p;
}

const char* match_key(const char* p, std::string_view key) {
  for (const char c : key) {
    if (*p++ != c) {
      return nullptr;
    }
  }
  p = skip_blanks(p);
  return *p == '=' ? skip_blanks(p + 1) : nullptr;
}

const char* scan_block_header(std::string_view text, const Dim3& grid, Dim3& index, BlockFault& fault) {
  constexpr std::string_view kBegin = "#BEGIN_TB";
  if (!text.starts_with(kBegin) || *skip_blanks(text.data() + kBegin.size()) != '\n') {
    fault = {text.data(), "`#BEGIN_TB`", shown_line(text.data())};
    return nullptr;
  }
  const char* const line = skip_empty_lines(text.data() + kBegin.size());
  const char* const value = match_key(line, "thread block");
  std::array<std::uint64_t, 3> got{};
  const char* const end = value == nullptr ? nullptr : scan_triple(value, got);
  if (end == nullptr) {
    fault = {line, "`thread block = x,y,z`", shown_line(line)};
    return nullptr;
  }
  if (got[0] >= grid.x || got[1] >= grid.y || got[2] >= grid.z) {
    fault = {line, "a thread block inside the grid " + text_of(grid), shown_line(line)};
    return nullptr;
  }
  index = {static_cast<std::uint32_t>(got[0]), static_cast<std::uint32_t>(got[1]),
           static_cast<std::uint32_t>(got[2])};
  return skip_cluster_lines(end, fault);
}

}  // namespace wg::trace
