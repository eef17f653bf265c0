#include "host/uvm/prefetcher.hpp"

#include <array>

#include "host/uvm/part_table.hpp"
#include "host/uvm/prefetchers.hpp"

namespace wg::host::uvm {
namespace {

using Row = PartRow<Prefetcher>;

constexpr std::array kRows{Row{"none", make_none},
                           Row{"sequential", make_sequential},
                           Row{"window", make_window},
                           Row{"random", make_random},
                           Row{"tbn", make_tbn},
                           Row{"tbn-driver", make_tbn_driver},
                           Row{"whole-block", make_whole_block},
                           Row{"forest", make_forest},
                           Row{"oracle", make_oracle}};

}  // namespace

std::vector<std::string> prefetcher_names() { return names_of(kRows); }

std::unique_ptr<Prefetcher> make_prefetcher(std::string_view name, const PartContext& context) {
  return make_part(kRows, "uvm.prefetcher", name, context);
}

bool needs_tracker(std::string_view part) { return part == "forest"; }

bool needs_future(std::string_view part) { return part == "oracle" || part == "belady"; }

}  // namespace wg::host::uvm
