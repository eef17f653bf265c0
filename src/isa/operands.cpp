#include "isa/operands.hpp"

#include <algorithm>

namespace wg::isa {
namespace {

bool is_general(std::uint16_t reg) { return reg <= kRegZero; }
bool is_uniform(std::uint16_t reg) { return reg >= kRegUniform0 && reg <= kRegUniformZero; }

bool names_general(std::span<const std::uint16_t> regs) {
  return std::any_of(regs.begin(), regs.end(), is_general);
}

/// First number after the register file of `reg`, its zero register left out; 0 for a constant or no
/// register.
std::uint32_t file_end(std::uint16_t reg) {
  if (reg < kRegZero) {
    return kRegZero;
  }
  if (reg >= kRegPredicate0 && reg < kRegPredicateTrue) {
    return reg + 1U;
  }
  if (reg >= kRegUniform0 && reg < kRegUniformZero) {
    return kRegUniformZero;
  }
  return reg >= kRegAnyPredicate && reg < kRegCount ? reg + 1U : 0U;
}

template <std::size_t N>
void add(std::array<RegRange, N>& ranges, std::uint8_t& count, std::uint16_t reg, std::uint32_t width) {
  const std::uint32_t end = file_end(reg);
  if (end != 0 && count < N) {
    ranges[count++] = {reg, static_cast<std::uint16_t>(std::min(width, end - reg))};
  }
}

/// Shapes that address memory: their operands are counted over general registers only, since descriptors and
/// bases in uniform registers come between (STG.E desc[UR4][R2.64], R8), and are pairs where addresses are.
bool counts_general_only(Shape shape) { return shape >= Shape::load && shape != Shape::mma; }

std::uint32_t address_width(const Modifiers& modifiers) { return modifiers.has("E") ? 2 : 1; }

bool is_wide_integer(const Modifiers& modifiers) { return modifiers.has_any({"S64", "U64"}); }

/// Widths of result and source of F2F and FRND: the first float type is the result's, the second the
/// source's.
struct FloatTypes {
  std::uint32_t result = 1;
  std::uint32_t source = 1;
};
FloatTypes float_types(const Modifiers& modifiers) {
  FloatTypes types;
  int seen = 0;
  modifiers.any([&](std::string_view token) {
    if (token != "F64" && token != "F32" && token != "F16" && token != "BF16") {
      return false;
    }
    const std::uint32_t width = token == "F64" ? 2 : 1;
    types.source = width;
    if (seen++ == 0) {
      types.result = width;
    }
    return seen == 2;
  });
  return types;
}

std::uint32_t surface_registers(const OperandContext& context) {
  return context.modifiers.has("RGBA") ? 4U : registers_for(context.access_bytes);
}

std::uint32_t destination_width(const OperandContext& context) {
  const Modifiers& modifiers = context.modifiers;
  switch (context.opcode.shape) {
    case Shape::pair:
    case Shape::pair_result:
      return 2;
    case Shape::clock:
      return modifiers.has("32") ? 1 : 2;
    case Shape::product:
      return modifiers.has("WIDE") ? 2 : 1;
    case Shape::float_to_float:
      return float_types(modifiers).result;
    case Shape::float_to_int:
      return is_wide_integer(modifiers) ? 2 : 1;
    case Shape::int_to_float:
      return modifiers.has("F64") ? 2 : 1;
    case Shape::load:
    case Shape::atomic:
    case Shape::constant_load:
      return registers_for(context.access_bytes);
    case Shape::matrix_load:
      return matrix_count(modifiers);
    case Shape::texture:
      return context.generation >= Generation::volta ? 2 : 4;
    case Shape::surface_load:
      return surface_registers(context);
    case Shape::mma:
    case Shape::wgmma:
      return context.matrix.accumulators;
    case Shape::mbarrier:
      return modifiers.has_any({"TRANS64", "64"}) ? 2 : 1;
    default:
      return 1;
  }
}

/// A source as the width rules see it: the `index`-th of `count` counted operands.
struct Place {
  std::size_t index;
  std::size_t count;
  std::size_t accumulator;  ///< place of C in a WGMMA
};

/// IMAD.WIDE and IMAD.HI add a 64-bit third operand. Of two named registers (one operand is a constant), an
/// even second one is taken for that pair, which must be even, and an odd one for a factor.
std::uint32_t product_source(const OperandContext& context, std::uint16_t reg, Place place) {
  if (!context.modifiers.has_any({"WIDE", "HI"})) {
    return 1;
  }
  const bool addend = place.index == 2 || (place.index == 1 && place.count == 2 && reg % 2 == 0);
  return addend ? 2 : 1;
}

/// Address first, then data; a lone register is the data of an access addressed without one.
std::uint32_t store_source(Place place, std::uint32_t address, std::uint32_t data) {
  if (place.count == 1) {
    return data;
  }
  return place.index == 0 ? address : place.index == 1 ? data : 1;
}

/// CAS has two data operands; one name for both stands for neighbours (Maxwell, Pascal).
std::uint32_t atomic_source(const OperandContext& context, Place place) {
  const std::uint32_t data = registers_for(context.access_bytes);
  if (place.index == 0) {
    return address_width(context.modifiers);
  }
  if (!context.modifiers.has_any({"CAS", "CAST"})) {
    return place.index == 1 ? data : 1;
  }
  return place.count == 2 ? 2 * data : place.index <= 2 ? data : 1;
}

std::uint32_t matrix_source(const MatrixWork& work, Place place) {
  switch (place.index) {
    case 0:
      return work.a;
    case 1:
      return work.b;
    case 2:
      return work.accumulators;
    default:
      return 1;  // sparsity metadata
  }
}

std::uint32_t warpgroup_source(const MatrixWork& work, Place place) {
  if (place.index == place.accumulator) {
    return work.accumulators;
  }
  return place.index < place.accumulator ? work.a : 1U;
}

std::uint32_t source_width(const OperandContext& context, std::uint16_t reg, Place place) {
  const Modifiers& modifiers = context.modifiers;
  switch (context.opcode.shape) {
    case Shape::pair:
    case Shape::pair_sources:
    case Shape::pair_target:
      return 2;
    case Shape::product:
      return product_source(context, reg, place);
    case Shape::float_to_float:
      return float_types(modifiers).source;
    case Shape::float_to_int:
      return modifiers.has("F64") ? 2 : 1;
    case Shape::int_to_float:
      return is_wide_integer(modifiers) ? 2 : 1;
    case Shape::match:
      return modifiers.has("U64") ? 2 : 1;
    case Shape::load:
    case Shape::address:
      return place.index == 0 ? address_width(modifiers) : 1;
    case Shape::store:
    case Shape::reduction:
      return store_source(place, address_width(modifiers), registers_for(context.access_bytes));
    case Shape::atomic:
      return atomic_source(context, place);
    case Shape::async_copy:  // the shared address has 32 bits
      return place.index + 1 == place.count ? address_width(modifiers) : 1;
    case Shape::matrix_store:
      return store_source(place, 1, matrix_count(modifiers));
    case Shape::texture:
    case Shape::surface_load:
      return place.index == 0 ? 2 : 1;
    case Shape::surface_store:
      return store_source(place, 2, surface_registers(context));
    case Shape::mma:
      return matrix_source(context.matrix, place);
    case Shape::wgmma:
      return warpgroup_source(context.matrix, place);
    default:
      return 1;
  }
}

/// C of a WGMMA is the register that D names, or RZ; A may come before, sparsity metadata after.
std::size_t accumulator_place(std::span<const std::uint16_t> sources, const StaticInst& inst) {
  std::size_t place = 0;
  for (const std::uint16_t reg : sources) {
    if (is_general(reg)) {
      if (reg == kRegZero || (inst.dst_count > 0 && reg == inst.dst[0].first)) {
        return place;
      }
      ++place;
    }
  }
  return place == 0 ? 0 : place - 1;
}

std::uint32_t uniform_width(const OperandContext& context) {
  return context.opcode.shape == Shape::wgmma ? 2 : address_width(context.modifiers);
}

void assign_sources(const OperandContext& context, std::span<const std::uint16_t> sources, StaticInst& inst) {
  const bool general_only = counts_general_only(context.opcode.shape);
  const auto counted = [general_only](std::uint16_t reg) {
    return is_general(reg) || (!general_only && is_uniform(reg));
  };
  const auto count = static_cast<std::size_t>(std::count_if(sources.begin(), sources.end(), counted));
  Place place{0, count, accumulator_place(sources, inst)};
  for (const std::uint16_t reg : sources) {
    if (counted(reg)) {
      add_source(inst, reg, source_width(context, reg, place));
      ++place.index;
    } else {
      add_source(inst, reg, is_uniform(reg) ? uniform_width(context) : 1);
    }
  }
}

}  // namespace

std::uint8_t matrix_count(const Modifiers& modifiers) {
  return modifiers.has("4") ? 4 : modifiers.has("2") ? 2 : 1;
}

void add_destination(StaticInst& inst, std::uint16_t reg, std::uint32_t width) {
  add(inst.dst, inst.dst_count, reg, width);
}

void add_source(StaticInst& inst, std::uint16_t reg, std::uint32_t width) {
  add(inst.src, inst.src_count, reg, width);
}

void assign_registers(const OperandContext& context, const RawInst& raw, StaticInst& inst) {
  const std::uint32_t width = destination_width(context);
  for (const std::uint16_t reg : raw.dst) {
    add_destination(inst, reg, is_general(reg) || is_uniform(reg) ? width : 1);
  }
  std::span<const std::uint16_t> sources = raw.src;
  // SHFL PT, R4, R5, ...: the tracer takes only operand 0 for a destination, so R4 comes first of the
  // sources.
  if (context.opcode.is(kLeadingPredicate) && !names_general(raw.dst)) {
    const auto general = std::find_if(sources.begin(), sources.end(), is_general);
    if (general != sources.end()) {
      add_destination(inst, *general, width);
      for (const std::uint16_t reg : std::span(sources.begin(), general)) {
        add_source(inst, reg, 1);
      }
      sources = {general + 1, sources.end()};
    }
  }
  assign_sources(context, sources, inst);
}

void assign_unnamed_predicates(const OperandContext& context, const RawInst& raw, StaticInst& inst) {
  if (raw.names_predicates) {
    return;
  }
  const Opcode& opcode = context.opcode;
  const Modifiers& modifiers = context.modifiers;
  const bool alone = opcode.is(kWritesPredicateAlone) && !names_general(raw.dst);
  if (opcode.is(kWritesPredicate) || alone) {
    add_destination(inst, kRegAnyPredicate, 1);
  }
  const bool combines = opcode.is(kCombinesPredicate) && modifiers.has_any({"OR", "XOR", "EX", "X"});
  const bool barrier_vote = opcode.cls == InstClass::barrier && modifiers.has("RED");
  if (opcode.is(kReadsPredicate) || combines || barrier_vote) {
    add_source(inst, kRegAnyPredicate, 1);
  }
}

}  // namespace wg::isa
