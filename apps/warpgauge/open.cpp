#include "open.hpp"

#include "kernels/catalogue.hpp"

namespace wg::app {

trace::Workload open_workload(const std::string& name, std::uint32_t sm_version) {
  return kernels::is_builder_uri(name) ? kernels::open_builder(name, sm_version) : trace::open_trace(name);
}

}  // namespace wg::app
