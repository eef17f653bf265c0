#include "report/dictionary.hpp"

#include "report/table.hpp"

namespace wg::report {

std::string dictionary_text(std::span<const CounterInfo* const> dictionary) {
  Table table({{"name", Align::left}, {"unit", Align::left}, {"meaning", Align::left, 200}});
  for (const CounterInfo* info : dictionary) {
    table.row({std::string(info->name), std::string(info->unit), std::string(info->meaning)});
    if (!info->ncu.empty()) {
      table.row({"", "", "ncu: " + std::string(info->ncu)});
    }
  }
  return table.text(0);
}

}  // namespace wg::report
