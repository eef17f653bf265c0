#include <algorithm>
#include <array>

#include "isa/inst.hpp"

namespace wg::isa {
namespace {

constexpr std::array<std::string_view, kInstClasses> kClassNames{
    "fp32",      "fp32_alu",   "integer",  "imad",    "imad_wide",   "fp16",   "fp64",
    "mufu",      "conversion", "bitcount", "tensor",  "tensor_fp64", "wgmma",  "uniform",
    "predicate", "special",    "shuffle",  "vote",    "branch",      "exit",   "barrier",
    "membar",    "depbar",     "mbarrier", "load",    "store",       "atomic", "reduction",
    "ldgsts",    "ldsm",       "constant", "texture", "tma",         "nop",    "other"};
static_assert(!kClassNames.back().empty(), "every class has a name");

constexpr std::array<std::string_view, 9> kGenerationNames{"fermi",  "kepler", "maxwell", "pascal", "volta",
                                                           "turing", "ampere", "ada",     "hopper"};

struct SmRange {
  std::uint32_t first;
  std::uint32_t last;
  Generation generation;
};
/// SM architecture numbers that NVIDIA has shipped, and the open range above the newest table.
constexpr std::array kSmRanges{SmRange{20, 21, Generation::fermi},   SmRange{30, 30, Generation::kepler},
                               SmRange{32, 32, Generation::kepler},  SmRange{35, 35, Generation::kepler},
                               SmRange{37, 37, Generation::kepler},  SmRange{50, 50, Generation::maxwell},
                               SmRange{52, 53, Generation::maxwell}, SmRange{60, 62, Generation::pascal},
                               SmRange{70, 70, Generation::volta},   SmRange{72, 72, Generation::volta},
                               SmRange{75, 75, Generation::turing},  SmRange{80, 80, Generation::ampere},
                               SmRange{86, 88, Generation::ampere},  SmRange{89, 89, Generation::ada},
                               SmRange{90, 299, Generation::hopper}};

template <std::size_t N>
std::size_t index_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::string_view name_of(InstClass cls) {
  return kClassNames[std::min(static_cast<std::size_t>(cls), kInstClasses - 1)];
}

bool class_from_name(std::string_view name, InstClass& cls) {
  const std::size_t index = index_in(kClassNames, name);
  if (index == kInstClasses) {
    return false;
  }
  cls = static_cast<InstClass>(index);
  return true;
}

std::string_view name_of(Generation generation) {
  return kGenerationNames[std::min(static_cast<std::size_t>(generation), kGenerationNames.size() - 1)];
}

bool generation_from_name(std::string_view name, Generation& generation) {
  const std::size_t index = index_in(kGenerationNames, name);
  if (index == kGenerationNames.size()) {
    return false;
  }
  generation = static_cast<Generation>(index);
  return true;
}

bool generation_of(std::uint32_t binary_version, Generation& generation) {
  for (const SmRange& range : kSmRanges) {
    if (range.first <= binary_version && binary_version <= range.last) {
      generation = range.generation;
      return true;
    }
  }
  return false;
}

}  // namespace wg::isa
