#include "base/error.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/table.hpp"

namespace wg::app {

int gpu_list() {
  using report::Align;
  report::Table table({{"name", Align::left}, {"machine", Align::left, 120}});
  bool good = true;
  const std::vector<config::MachineEntry> machines = config::list_machines(machine_places());
  for (const config::MachineEntry& entry : machines) {
    good = good && entry.problem.empty();
    table.row({entry.name, entry.problem.empty() ? entry.title : "cannot be loaded: " + entry.problem});
  }
  if (machines.empty()) {
    throw Error({.where = "warpgauge gpu list",
                 .expected = "machine files in " + machine_places().back().string(),
                 .found = "none",
                 .advice = "set WARPGAUGE_GPUS to the folder of the .toml files"});
  }
  print(table.text(0));
  return static_cast<int>(good ? ExitCode::ok : ExitCode::bad_input);
}

int gpu_show(const std::string& name, const std::vector<std::string>& overrides) {
  print(config::show(config::load(name, overrides, machine_places())));
  return 0;
}

}  // namespace wg::app
