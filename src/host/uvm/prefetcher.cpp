#include "host/uvm/prefetcher.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "host/uvm/prefetchers.hpp"

namespace wg::host::uvm {
namespace {

struct Row {
  std::string_view name;
  std::unique_ptr<Prefetcher> (*make)(const PartContext&);
};

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

std::vector<std::string> prefetcher_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    names.emplace_back(row.name);
  }
  return names;
}

std::unique_ptr<Prefetcher> make_prefetcher(std::string_view name, const PartContext& context) {
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.make(context);
    }
  }
  std::string all;
  for (const Row& row : kRows) {
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error({.where = "uvm.prefetcher", .expected = "one of " + all, .found = std::string(name)});
}

bool needs_tracker(std::string_view part) { return part == "forest"; }

bool needs_future(std::string_view part) { return part == "oracle" || part == "belady"; }

}  // namespace wg::host::uvm
