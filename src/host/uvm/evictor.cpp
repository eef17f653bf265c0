#include "host/uvm/evictor.hpp"

#include <array>

#include "base/error.hpp"
#include "host/uvm/evictors.hpp"

namespace wg::host::uvm {
namespace {

struct Row {
  std::string_view name;
  std::unique_ptr<Evictor> (*make)(const PartContext&);
};

constexpr std::array kRows{Row{"driver", make_driver_evictor},
                           Row{"lru", make_lru},
                           Row{"tbne", make_tbne},
                           Row{"sequential-local", make_sequential_local},
                           Row{"lru-4k", make_lru_page},
                           Row{"random", make_random_page},
                           Row{"forest", make_forest_evictor},
                           Row{"belady", make_belady}};

}  // namespace

std::vector<std::string> evictor_names() {
  std::vector<std::string> names;
  for (const Row& row : kRows) {
    names.emplace_back(row.name);
  }
  return names;
}

std::unique_ptr<Evictor> make_evictor(std::string_view name, const PartContext& context) {
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.make(context);
    }
  }
  std::string all;
  for (const Row& row : kRows) {
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error({.where = "uvm.evictor", .expected = "one of " + all, .found = std::string(name)});
}

bool counts_chunks(std::string_view evictor) { return evictor == "driver"; }

bool counts_in_chunks(const config::UvmConfig& config) {
  return config.accounting == "auto" ? counts_chunks(config.evictor) : config.accounting == "chunk";
}

}  // namespace wg::host::uvm
