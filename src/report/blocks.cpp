#include "report/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/format.hpp"
#include "report/memory.hpp"
#include "report/table.hpp"
#include "report/verdict.hpp"

namespace wg::report {
namespace {

constexpr std::size_t kBar = 24;

std::string bold(std::string_view text, const Style& style) {
  return style.colour ? fmt::format("\033[1m{}\033[0m", text) : std::string(text);
}

}  // namespace

std::string heading(std::string_view title, const Style& style) {
  std::string rule;
  for (std::size_t i = 0; i < std::min(width(title), style.columns); ++i) {
    rule += style.unicode ? "─" : "-";
  }
  return fmt::format("{}\n{}\n", bold(title, style), rule);
}

std::string section(std::string_view title, const Style& style) { return bold(title, style) + '\n'; }

std::string wrapped(std::string_view sentence, std::size_t columns) {
  std::string out;
  std::string line = " ";
  for (std::size_t begin = 0; begin <= sentence.size();) {
    const std::size_t end = std::min(sentence.find(' ', begin), sentence.size());
    const std::string_view word = sentence.substr(begin, end - begin);
    if (width(line) + 1 + width(word) > columns && line.find_first_not_of(' ') != std::string::npos) {
      out += line + '\n';
      line = "   ";
    }
    line += ' ';
    line += word;
    begin = end + 1;
  }
  return out + line + '\n';
}

std::string slots_block(const sm::StallCycles& slots, std::uint64_t issued, std::uint64_t all,
                        const Style& style) {
  Table table({{"", Align::left}, {""}, {""}, {"", Align::left}, {"", Align::left, 36}});
  for (const SlotShare& part : slot_shares(slots, issued, all)) {
    const std::string drawn = bar(part.share, kBar, style.unicode);
    table.row({std::string(part.name), grouped(part.slots), percent(part.share), pad(drawn, kBar),
               std::string(part.reason == sm::kStalls ? "" : part.meaning)});
  }
  table.row({"all slots", grouped(all), all == 0 ? "-" : percent(1)});
  return table.text();
}

std::string memory_block(std::span<const CounterValue> counters, std::uint64_t time_ps) {
  const std::vector<MemoryRow> rows = memory_rows(counters, time_ps);
  if (rows.empty()) {
    return {};
  }
  Table table({{"", Align::left}, {""}, {"hits"}, {"sectors/request"}, {"", Align::left}});
  for (const MemoryRow& row : rows) {
    table.row({row.what, row.amount, row.hits, row.per_request, row.note});
  }
  return table.text();
}

}  // namespace wg::report
