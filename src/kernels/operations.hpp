// The arithmetic instructions that `chain` and `throughput` can be made of.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/warp_builder.hpp"

namespace wg::kernels {

enum class OperandForm : std::uint8_t {
  arithmetic,   ///< result = op(chained, R4, R6)
  tensor,       ///< accumulator = op(R4.., R8.., accumulator)
  wgmma,        ///< accumulator = op(accumulator); the inputs are in shared memory
  independent,  ///< reads nothing that an earlier result could be
};

struct Operation {
  std::string_view name;  ///< as in a URI
  std::uint32_t min_sm = 20;
  std::uint32_t max_sm = 999;
  std::string_view mnemonic;
  OperandForm form = OperandForm::arithmetic;
  std::uint8_t sources = 1;  ///< of an arithmetic operation, 0 to 3
  std::uint8_t result = 1;   ///< registers written; 0 = names no register
  std::uint8_t steps = 1;    ///< >1: instructions numbered .STEP0, .STEP1 ... that share one operation;
                             ///< `chain` counts the group as one step, `throughput` each instruction
};

/// Distinct names, in table order. `chained`: only those whose result can feed the next one.
std::vector<std::string_view> operation_names(bool chained);

/// The operation of this name on the dialect's SM version; throws wg::Error where it has none.
const Operation& find_operation(std::string_view name, const Dialect& dialect);

/// First register of accumulator `number`; inputs are below.
inline constexpr unsigned kAccumulators = 16;
inline Reg accumulator(const Operation& operation, std::uint32_t number) {
  return kAccumulators + number * operation.result;
}

/// Emits instruction `place` of a run of this operation on accumulator `number`.
void emit_operation(WarpBuilder& w, const Operation& operation, std::uint32_t place, std::uint32_t number);

}  // namespace wg::kernels
