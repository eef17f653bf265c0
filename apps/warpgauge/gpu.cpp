#include "options.hpp"
#include "places.hpp"
#include "report/table.hpp"

namespace wg::app {

int gpu_list() {
  using report::Align;
  report::Table table({{"name", Align::left}, {"machine", Align::left, 120}});
  for (const config::MachineEntry& entry : config::list_machines(machine_places())) {
    table.row({entry.name, entry.problem.empty() ? entry.title : "cannot be loaded: " + entry.problem});
  }
  print(table.text(0));
  return 0;
}

int gpu_show(const std::string& name, const std::vector<std::string>& overrides) {
  print(config::show(config::load(name, overrides, machine_places())));
  return 0;
}

}  // namespace wg::app
