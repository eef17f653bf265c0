#include "report/doctor.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "options.hpp"
#include "places.hpp"

namespace wg::app {

int doctor() {
  const DataFolder folder = data_folder();
  const std::vector<report::Finding> findings =
      report::examine(machine_places(), fmt::format("{} ({})", folder.path.string(), folder.why));
  print("warpgauge " WG_VERSION "\n" + report::doctor_text(findings));
  return static_cast<int>(report::healthy(findings) ? ExitCode::ok : ExitCode::bad_input);
}

}  // namespace wg::app
