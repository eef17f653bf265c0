#include "host/uvm/evictor.hpp"

#include <array>

#include "host/uvm/evictors.hpp"
#include "host/uvm/part_table.hpp"

namespace wg::host::uvm {
namespace {

using Row = PartRow<Evictor>;

constexpr std::array kRows{Row{"driver", make_driver_evictor},
                           Row{"lru", make_lru},
                           Row{"tbne", make_tbne},
                           Row{"sequential-local", make_sequential_local},
                           Row{"lru-4k", make_lru_page},
                           Row{"random", make_random_page},
                           Row{"forest", make_forest_evictor},
                           Row{"belady", make_belady}};

}  // namespace

std::vector<std::string> evictor_names() { return names_of(kRows); }

std::unique_ptr<Evictor> make_evictor(std::string_view name, const PartContext& context) {
  return make_part(kRows, "uvm.evictor", name, context);
}

bool counts_chunks(std::string_view evictor) { return evictor == "driver"; }

bool counts_in_chunks(const config::UvmConfig& config) {
  return config.accounting == "auto" ? counts_chunks(config.evictor) : config.accounting == "chunk";
}

}  // namespace wg::host::uvm
