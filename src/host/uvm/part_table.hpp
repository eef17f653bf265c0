// Parts by name: what the tables of prefetchers and evictors share.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "host/uvm/prefetcher.hpp"

namespace wg::host::uvm {

template <class Part>
struct PartRow {
  std::string_view name;
  std::unique_ptr<Part> (*make)(const PartContext&);
};

template <class Part, std::size_t N>
std::vector<std::string> names_of(const std::array<PartRow<Part>, N>& rows) {
  std::vector<std::string> names;
  for (const PartRow<Part>& row : rows) {
    names.emplace_back(row.name);
  }
  return names;
}

/// Throws wg::Error at `key` naming all rows when there is none of this name.
template <class Part, std::size_t N>
std::unique_ptr<Part> make_part(const std::array<PartRow<Part>, N>& rows, const char* key,
                                std::string_view name, const PartContext& context) {
  std::string all;
  for (const PartRow<Part>& row : rows) {
    if (row.name == name) {
      return row.make(context);
    }
    all += (all.empty() ? "" : ", ") + std::string(row.name);
  }
  throw Error({.where = key, .expected = "one of " + all, .found = std::string(name)});
}

}  // namespace wg::host::uvm
