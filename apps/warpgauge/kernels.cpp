#include <fmt/format.h>

#include "base/error.hpp"
#include "config/suggest.hpp"
#include "kernels/catalogue.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/table.hpp"

namespace wg::app {
namespace {

const kernels::Entry& find(const std::string& asked) {
  const std::string name = asked.starts_with("kernel:") ? asked.substr(7) : asked;
  std::vector<std::string> names;
  for (const kernels::Entry& entry : kernels::catalogue()) {
    if (entry.name == name) {
      return entry;
    }
    names.emplace_back(entry.name);
  }
  const std::string near = config::did_you_mean(config::nearest(name, names));
  throw Error({.where = "warpgauge kernels show",
               .expected = "the name of a kernel",
               .found = fmt::format("\"{}\"", name),
               .advice = near + (near.empty() ? "" : " ") + "see `warpgauge kernels list`"});
}

}  // namespace

int kernels_list() {
  using report::Align;
  report::Table table({{"kernel", Align::left}, {"kind", Align::left}, {"what it does", Align::left, 120}});
  for (const kernels::Entry& entry : kernels::catalogue()) {
    table.row({fmt::format("kernel:{}", entry.name), std::string(kernels::name_of(entry.group)),
               std::string(entry.summary)});
  }
  print(table.text(0));
  return 0;
}

int kernels_show(const std::string& name) {
  using report::Align;
  const kernels::Entry& entry = find(name);
  report::Table table({{"argument", Align::left},
                       {"default", Align::left},
                       {"valid", Align::left},
                       {"unit", Align::left},
                       {"meaning", Align::left, 120}});
  for (const kernels::Argument& argument : entry.arguments) {
    table.row({std::string(argument.name), argument.fallback, argument.valid(), std::string(argument.unit),
               std::string(argument.doc)});
  }
  print(fmt::format("kernel:{}  {}\n\n{}", entry.name, entry.summary, table.text()));
  return 0;
}

}  // namespace wg::app
