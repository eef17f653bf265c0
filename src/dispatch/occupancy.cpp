#include "dispatch/occupancy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace wg::dispatch {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) {
  return granule == 0 ? value : (value + granule - 1) / granule * granule;
}

struct Limit {
  const char* name;
  std::uint64_t need;
  std::uint64_t have;
};

}  // namespace

Fit fit(const config::Machine& machine, const trace::KernelHeader& kernel) {
  const std::uint64_t warps = kernel.warps_per_cta();
  const std::uint64_t per_warp =
      round_up(std::max<std::uint64_t>(1, kernel.registers) * 32, machine.sm.register_granule);
  const std::uint64_t shared = round_up(kernel.shared_bytes.count() + machine.shared.reserved_per_cta.count(),
                                        machine.shared.granule.count());
  if (kernel.shared_bytes > machine.shared.per_cta) {
    throw Error({.where = fmt::format("kernel {} ({})", kernel.id, kernel.name),
                 .expected = fmt::format("at most {} bytes of shared memory per CTA on {}",
                                         machine.shared.per_cta.count(), machine.name),
                 .found = fmt::format("{}", kernel.shared_bytes.count())});
  }
  const std::array<Limit, 5> limits = {{
      {"warps", warps, machine.sm.max_warps},
      {"CTA slots", 1, machine.sm.max_ctas},
      {"threads", kernel.threads_per_cta(), machine.sm.max_threads},
      {"registers", round_up(warps, machine.sm.warp_granule) * per_warp, machine.sm.registers},
      {"shared memory", shared, machine.shared.per_sm.count()},
  }};
  Fit fit;
  fit.ctas = ~std::uint32_t{0};
  for (const Limit& limit : limits) {
    const std::uint64_t ctas = limit.need == 0 ? fit.ctas : limit.have / limit.need;
    if (ctas == 0) {
      throw Error(
          {.where = fmt::format("kernel {} ({})", kernel.id, kernel.name),
           .expected =
               fmt::format("a CTA that fits an SM of {}: {} {}", machine.name, limit.have, limit.name),
           .found = fmt::format("{} needed by one CTA of {} threads", limit.need, kernel.threads_per_cta())});
    }
    if (ctas < fit.ctas) {
      fit.ctas = static_cast<std::uint32_t>(ctas);
      fit.limited_by = limit.name;
    }
  }
  const std::uint64_t spread = (kernel.grid.count() + machine.sm.count - 1) / machine.sm.count;
  if (spread < fit.ctas) {
    fit.limited_by = "grid";
  }
  fit.warps = static_cast<std::uint32_t>(fit.ctas * warps);
  fit.shared_bytes = std::min(fit.ctas * shared, machine.shared.per_sm.count());
  const std::uint64_t left =
      machine.l1.unified.count() - std::min(machine.l1.unified.count(), fit.shared_bytes);
  fit.l1_bytes = machine.l1.max_data.count() == 0 ? left : std::min(left, machine.l1.max_data.count());
  return fit;
}

}  // namespace wg::dispatch
