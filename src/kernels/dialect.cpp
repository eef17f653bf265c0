#include "kernels/dialect.hpp"

#include <array>
#include <bit>

namespace wg::kernels {
namespace {

/// Spellings for 4, 8 and 16 bytes a lane.
using Widths = std::array<std::string_view, 3>;

std::string_view pick(const Widths& widths, std::uint32_t width) {
  return widths[static_cast<std::size_t>(std::countr_zero(width)) - 2];
}

constexpr Widths kLoadGlobal{"LDG.E", "LDG.E.64", "LDG.E.128"};
constexpr Widths kLoadGlobalStrong{"LDG.E.STRONG.GPU", "LDG.E.64.STRONG.GPU", "LDG.E.128.STRONG.GPU"};
constexpr Widths kLoadGlobalCg{"LDG.E.CG", "LDG.E.CG.64", "LDG.E.CG.128"};
constexpr Widths kLoad{"LD.E", "LD.E.64", "LD.E.128"};
constexpr Widths kLoadCg{"LD.E.CG", "LD.E.CG.64", "LD.E.CG.128"};
constexpr Widths kStoreGlobal{"STG.E", "STG.E.64", "STG.E.128"};
constexpr Widths kStore{"ST.E", "ST.E.64", "ST.E.128"};
constexpr Widths kSharedLoad{"LDS", "LDS.64", "LDS.128"};
constexpr Widths kSharedLoadU{"LDS.U", "LDS.U.64", "LDS.U.128"};
constexpr Widths kSharedLoadU32{"LDS.U.32", "LDS.U.64", "LDS.U.128"};
constexpr Widths kSharedStore{"STS", "STS.64", "STS.128"};

}  // namespace

std::string_view Dialect::load(std::uint32_t width, CacheOp cache) const {
  if (sm_ >= 70) {
    return pick(cache == CacheOp::all ? kLoadGlobal : kLoadGlobalStrong, width);
  }
  if (sm_ >= 50) {
    return pick(cache == CacheOp::all ? kLoadGlobal : kLoadGlobalCg, width);
  }
  return pick(cache == CacheOp::all ? kLoad : kLoadCg, width);
}

std::string_view Dialect::store(std::uint32_t width) const {
  return pick(sm_ >= 50 ? kStoreGlobal : kStore, width);
}

std::string_view Dialect::shared_load(std::uint32_t width) const {
  if (sm_ >= 75 || sm_ < 50) {
    return pick(kSharedLoad, width);
  }
  return pick(sm_ >= 70 ? kSharedLoadU : kSharedLoadU32, width);
}

std::string_view Dialect::shared_store(std::uint32_t width) const { return pick(kSharedStore, width); }

std::string_view Dialect::parameter() const {
  if (sm_ >= 90) {
    return "LDC";
  }
  return volta_or_later() ? "IMAD.MOV.U32" : "MOV";
}

std::string_view Dialect::global_atomic() const {
  return volta_or_later() ? "ATOMG.E.ADD.STRONG.GPU" : "ATOM.E.ADD";
}

std::string_view Dialect::global_reduction() const {
  return volta_or_later() ? "RED.E.ADD.STRONG.GPU" : "RED.E.ADD";
}

std::string_view Dialect::float_reduction() const {
  return volta_or_later() ? "RED.E.ADD.F32.FTZ.RN.STRONG.GPU" : "RED.E.ADD.F32.FTZ.RN";
}

}  // namespace wg::kernels
