// A kernel held in memory, written instruction by instruction.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "trace/workload.hpp"

namespace wg::sm::test {

/// One executed warp instruction with its addresses as a trace would give them.
struct Op {
  std::uint32_t inst = 0;
  std::uint32_t mask = ~std::uint32_t{0};
  bool has_address = false;
  bool strided = true;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  std::vector<std::uint64_t> list;  ///< one per active lane when not strided
};
using WarpCode = std::vector<Op>;
using CtaCode = std::vector<WarpCode>;

using Registers = std::initializer_list<isa::RegRange>;

/// Static instructions and the code of every CTA.
struct Code {
  trace::KernelHeader header;
  std::vector<isa::StaticInst> insts;
  std::vector<std::string> names;
  std::vector<CtaCode> ctas;

  Code();
  /// Adds a static instruction behind the last one and returns its index.
  std::uint32_t inst(isa::InstClass cls, Registers dst = {}, Registers src = {}, std::string name = "");
  /// The same for an access of memory.
  std::uint32_t access(isa::InstClass cls, isa::Space space, std::uint32_t width, Registers dst = {},
                       Registers src = {});
  /// EXIT, added once.
  std::uint32_t exit();
  [[nodiscard]] std::uint64_t warp_instructions() const;

 private:
  std::uint32_t exit_ = ~std::uint32_t{0};
};

/// Lane i (of 32) at base + i * stride.
Op at(std::uint32_t inst, std::uint64_t base, std::int64_t stride, std::uint32_t mask = ~std::uint32_t{0});
Op at_each(std::uint32_t inst, std::vector<std::uint64_t> lanes, std::uint32_t mask = ~std::uint32_t{0});
/// Instructions without addresses.
WarpCode plain(std::initializer_list<std::uint32_t> insts);

/// `growing` = the decoder makes instructions known only once a CTA uses them, moves its table at every
/// decode() and spoils the old one, so that whoever keeps a pointer into it is found out.
std::shared_ptr<const trace::Kernel> make_kernel(Code code, bool growing = false);

}  // namespace wg::sm::test
