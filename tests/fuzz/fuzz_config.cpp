// Any bytes as a machine file: problems or a machine that prints to one that loads to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "config/document.hpp"
#include "config/reader.hpp"
#include "config/resolver.hpp"

namespace {

using namespace wg::config;

/// The machine of a text without parents; false when it has problems.
bool resolve(std::string_view text, LoadedMachine& loaded) {
  detail::Resolver resolver;
  const Document document = parse_document(text, "fuzz.toml", resolver.problems());
  resolver.result().machine.name = "fuzz";
  resolver.apply(document, "fuzz.toml");
  resolver.require_all("fuzz.toml");
  resolver.check_rules();
  for (const wg::Problem& problem : resolver.problems()) {
    if (problem.where.empty() || problem.text().empty()) {
      std::abort();
    }
  }
  loaded = resolver.result();
  return resolver.problems().empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  LoadedMachine loaded;
  const bool good = resolve(text, loaded);
  LoadedMachine copy;
  if (good && (!resolve(show(loaded), copy) || machine_hash(copy.machine) != machine_hash(loaded.machine))) {
    std::abort();
  }
  try {
    wg::config::apply_override(copy.machine, text);
  } catch (const wg::Error&) {
  }
  return 0;
}
