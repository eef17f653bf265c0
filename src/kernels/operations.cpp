#include "kernels/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

namespace wg::kernels {
namespace {

using enum OperandForm;

// Several rows of one name are the spellings of different generations.
constexpr std::array kOperations{
    Operation{"FFMA", 20, 999, "FFMA", arithmetic, 3},
    Operation{"FADD", 20, 999, "FADD", arithmetic, 2},
    Operation{"FMUL", 20, 999, "FMUL", arithmetic, 2},
    Operation{"FMNMX", 20, 999, "FMNMX", arithmetic, 2},
    Operation{"IADD3", 50, 999, "IADD3", arithmetic, 3},
    Operation{"IADD", 20, 62, "IADD", arithmetic, 2},
    Operation{"IMAD", 20, 49, "IMAD", arithmetic, 3},
    Operation{"IMAD", 70, 999, "IMAD", arithmetic, 3},
    Operation{"IMAD.WIDE", 70, 999, "IMAD.WIDE", arithmetic, 3, 2},
    Operation{"XMAD", 50, 62, "XMAD", arithmetic, 3},
    Operation{"LOP3", 50, 999, "LOP3.LUT", arithmetic, 3},
    Operation{"LOP", 20, 62, "LOP.AND", arithmetic, 2},
    Operation{"SHF", 70, 999, "SHF.L.U32", arithmetic, 3},
    Operation{"SHL", 20, 62, "SHL", arithmetic, 2},
    Operation{"LEA", 70, 999, "LEA", arithmetic, 2},
    Operation{"SEL", 20, 999, "SEL", arithmetic, 2},
    Operation{"PRMT", 20, 999, "PRMT", arithmetic, 3},
    Operation{"MOV", 20, 999, "MOV", arithmetic, 1},
    Operation{"HADD2", 53, 999, "HADD2", arithmetic, 2},
    Operation{"HMUL2", 53, 999, "HMUL2", arithmetic, 2},
    Operation{"HFMA2", 53, 999, "HFMA2", arithmetic, 3},
    Operation{"DADD", 20, 999, "DADD", arithmetic, 2, 2},
    Operation{"DMUL", 20, 999, "DMUL", arithmetic, 2, 2},
    Operation{"DFMA", 20, 999, "DFMA", arithmetic, 3, 2},
    Operation{"MUFU", 20, 999, "MUFU.RCP", arithmetic, 1},
    Operation{"F2I", 20, 62, "F2I.S32.F32.TRUNC", arithmetic, 1},
    Operation{"F2I", 70, 999, "F2I.TRUNC.NTZ", arithmetic, 1},
    Operation{"I2F", 20, 62, "I2F.F32.S32", arithmetic, 1},
    Operation{"I2F", 70, 999, "I2F", arithmetic, 1},
    Operation{"POPC", 20, 999, "POPC", arithmetic, 1},
    Operation{"FLO", 20, 999, "FLO.U32", arithmetic, 1},
    Operation{"SHFL", 30, 999, "SHFL.BFLY", arithmetic, 1},
    Operation{"HMMA", 70, 74, "HMMA.884.F32.F32", tensor, 3, 2, 4},
    Operation{"HMMA", 75, 79, "HMMA.1688.F32", tensor, 3, 4},
    Operation{"HMMA", 80, 999, "HMMA.16816.F32", tensor, 3, 4},
    Operation{"HMMA.TF32", 80, 999, "HMMA.1688.F32.TF32", tensor, 3, 4},
    Operation{"IMMA", 72, 79, "IMMA.8816.S8.S8", tensor, 3, 2},
    Operation{"IMMA", 80, 999, "IMMA.16832.S8.S8", tensor, 3, 4},
    Operation{"DMMA", 80, 999, "DMMA.884", tensor, 3, 4},
    Operation{"HGMMA", 90, 90, "HGMMA.64x128x16.F32", wgmma, 1, 64},
    Operation{"S2R", 20, 999, "S2R", independent, 0},
    Operation{"UIADD3", 75, 999, "UIADD3", independent, 0, 0},
};

constexpr std::array<std::string_view, 4> kVoltaSteps{"HMMA.884.F32.F32.STEP0", "HMMA.884.F32.F32.STEP1",
                                                      "HMMA.884.F32.F32.STEP2", "HMMA.884.F32.F32.STEP3"};

constexpr Reg kInputA = 4;
constexpr Reg kInputB = 6;
constexpr Reg kTensorB = 8;

}  // namespace

std::vector<std::string_view> operation_names(bool chained) {
  std::vector<std::string_view> names;
  for (const Operation& operation : kOperations) {
    const bool fits = !chained || operation.form == arithmetic || operation.form == tensor;
    if (fits && std::ranges::find(names, operation.name) == names.end()) {
      names.push_back(operation.name);
    }
  }
  return names;
}

const Operation& find_operation(std::string_view name, const Dialect& dialect) {
  std::string where;
  for (const Operation& operation : kOperations) {
    if (operation.name != name) {
      continue;
    }
    if (operation.min_sm <= dialect.sm() && dialect.sm() <= operation.max_sm) {
      return operation;
    }
    where +=
        operation.max_sm == 999
            ? fmt::format("{}sm_{} or later", where.empty() ? "" : ", ", operation.min_sm)
            : fmt::format("{}sm_{} to sm_{}", where.empty() ? "" : ", ", operation.min_sm, operation.max_sm);
  }
  throw Error(Problem{fmt::format("op={}", name), where, fmt::format("sm_{}", dialect.sm()),
                      "this GPU has no such instruction"});
}

void emit_operation(WarpBuilder& w, const Operation& operation, std::uint32_t place, std::uint32_t number) {
  const Reg result = accumulator(operation, number);
  switch (operation.form) {
    case tensor:
      w.emit(operation.steps > 1 ? kVoltaSteps[place % operation.steps] : operation.mnemonic, result,
             {kInputA, kTensorB, result});
      return;
    case wgmma:
      w.emit(operation.mnemonic, result, {result});
      return;
    case independent:
      w.emit(operation.mnemonic, operation.result == 0 ? kNoDst : result);
      return;
    case arithmetic:
      break;
  }
  switch (operation.sources) {
    case 1:
      w.emit(operation.mnemonic, result, {result});
      return;
    case 2:
      w.emit(operation.mnemonic, result, {result, kInputA});
      return;
    default:
      w.emit(operation.mnemonic, result, {result, kInputA, kInputB});
      return;
  }
}

}  // namespace wg::kernels
