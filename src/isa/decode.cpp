#include "isa/inst.hpp"
#include "isa/modifiers.hpp"
#include "isa/opcode.hpp"
#include "isa/operands.hpp"
#include "isa/tensor.hpp"

namespace wg::isa {
namespace {

/// Bytes that a type or size modifier stands for, 0 for any other modifier.
std::uint8_t bytes_of(std::string_view token) {
  struct Size {
    std::string_view token;
    std::uint8_t bytes;
  };
  static constexpr std::array kSizes{
      Size{"8", 1},      Size{"U8", 1},     Size{"S8", 1},     Size{"16", 2},     Size{"U16", 2},
      Size{"S16", 2},    Size{"32", 4},     Size{"U32", 4},    Size{"S32", 4},    Size{"F32", 4},
      Size{"F16x2", 4},  Size{"BF16x2", 4}, Size{"64", 8},     Size{"U64", 8},    Size{"S64", 8},
      Size{"F64", 8},    Size{"F32x2", 8},  Size{"F16x4", 8},  Size{"BF16x4", 8}, Size{"128", 16},
      Size{"F32x4", 16}, Size{"F16x8", 16}, Size{"BF16x8", 16}};
  for (const Size& size : kSizes) {
    if (size.token == token) {
      return size.bytes;
    }
  }
  return 0;
}

std::uint8_t bytes_named(const Modifiers& modifiers, std::uint8_t fallback) {
  std::uint8_t bytes = 0;
  modifiers.any([&bytes](std::string_view token) { return (bytes = bytes_of(token)) != 0; });
  return bytes != 0 ? bytes : fallback;
}

/// Bytes at each lane's address. The tracer writes 2 for LDSM.16 and for what it does not know 4.
std::uint8_t access_bytes(const Opcode& opcode, const Modifiers& modifiers, const RawInst& raw) {
  switch (opcode.shape) {
    case Shape::load:
    case Shape::store:
    case Shape::atomic:
    case Shape::reduction:
    case Shape::async_copy:
    case Shape::constant_load:
    case Shape::surface_load:
    case Shape::surface_store:
      return bytes_named(modifiers, 4);
    case Shape::matrix_load:
    case Shape::matrix_store:
      return 16;
    case Shape::mbarrier:
      return 8;
    default:
      return raw.has_address ? raw.traced_width : std::uint8_t{0};
  }
}

/// The caches keep what one SM alone may see stale; wider scopes, volatile (STRONG.SYS; .CV and .CG up to
/// Pascal) and atomics meet at the L2. A bare .SYS on Volta and Turing is the ordinary cached access.
bool bypasses_l1(const StaticInst& inst, const Modifiers& modifiers) {
  if (inst.space != Space::global && inst.space != Space::generic) {
    return false;
  }
  switch (inst.cls) {
    case InstClass::atomic:
    case InstClass::reduction:
      return true;
    case InstClass::ldgsts:
      return modifiers.has("BYPASS");
    case InstClass::load:
    case InstClass::store:
      return modifiers.has_any({"CG", "CV", "MMIO"}) ||
             (modifiers.has("STRONG") && modifiers.has_any({"GPU", "SYS", "VC"}));
    default:
      return false;
  }
}

GroupOp group_op(std::string_view name) {
  if (name == "DEPBAR") {
    return GroupOp::wait_copy;
  }
  if (name == "LDGDEPBAR") {
    return GroupOp::commit_copy;
  }
  return name == "UTMACMDFLUSH" ? GroupOp::commit_bulk : GroupOp::none;
}

/// Where modifiers move an instruction to another class or add a property.
void refine(const Opcode& opcode, const Modifiers& modifiers, StaticInst& inst) {
  if (opcode.cls == InstClass::imad && opcode.shape == Shape::product && modifiers.has_any({"WIDE", "HI"})) {
    inst.cls = InstClass::imad_wide;
  }
  if (opcode.name == "WARPGROUP") {  // .ARRIVE only orders register use
    const bool waits = modifiers.has("DEPBAR");
    inst.cls = waits ? InstClass::depbar : InstClass::nop;
    inst.group = waits ? GroupOp::wait_wgmma : GroupOp::none;
  } else if (opcode.cls == InstClass::depbar) {
    inst.group = group_op(opcode.name);
  }
  inst.arrive_only =
      (opcode.cls == InstClass::barrier && modifiers.has("ARV")) || opcode.name == "UCGABAR_ARV";
  if (opcode.shape == Shape::matrix_load || opcode.shape == Shape::matrix_store) {
    inst.address_lanes = static_cast<std::uint8_t>(8 * matrix_count(modifiers));
  }
}

void decode_unknown(const RawInst& raw, StaticInst& inst) {
  inst.known = false;
  inst.width = raw.has_address ? raw.traced_width : std::uint8_t{0};
  for (const std::uint16_t reg : raw.dst) {
    add_destination(inst, reg, 1);
  }
  for (const std::uint16_t reg : raw.src) {
    add_source(inst, reg, 1);
  }
}

}  // namespace

StaticInst decode(const OpcodeTable& table, const RawInst& raw) {
  StaticInst inst;
  inst.pc = raw.pc;
  inst.imm = raw.imm;
  inst.line = raw.line;
  inst.has_address = raw.has_address;
  const auto [base, modifiers] = split(raw.mnemonic);
  inst.opcode = table.find(base);
  if (inst.opcode == kUnknownOpcode) {
    decode_unknown(raw, inst);
    return inst;
  }
  const Opcode& opcode = table.at(inst.opcode);
  inst.cls = opcode.cls;
  inst.space = opcode.space;
  inst.width = access_bytes(opcode, modifiers, raw);
  inst.bypass_l1 = bypasses_l1(inst, modifiers);
  refine(opcode, modifiers, inst);
  const bool matrix = opcode.shape == Shape::mma || opcode.shape == Shape::wgmma;
  const OperandContext context{opcode, modifiers, table.generation(), inst.width,
                               matrix ? matrix_work(opcode, modifiers) : MatrixWork{}};
  inst.tensor_fma = context.matrix.fma;
  inst.tensor_bits = context.matrix.bits;
  assign_registers(context, raw, inst);
  assign_unnamed_predicates(context, raw, inst);
  return inst;
}

}  // namespace wg::isa
