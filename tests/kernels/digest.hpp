// A digest of everything that the timing model reads of a kernel's records.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "kernels/walk.hpp"

namespace wg::kernels::testing {

class Digest {
 public:
  void add(std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) {  // FNV-1a
      state_ = (state_ ^ (value >> (8 * byte) & 0xFF)) * 0x0000'0100'0000'01B3ULL;
    }
  }
  void add(std::string_view text) {
    for (const char c : text) {
      add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
    }
  }
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF2'9CE4'8422'2325ULL;
};

inline void add_registers(Digest& digest, const isa::StaticInst& inst) {
  for (const auto& ranges : {inst.writes(), inst.reads()}) {
    for (const isa::RegRange& range : ranges) {
      digest.add(range.first * std::uint64_t{1000} + range.count);
    }
  }
}

/// What goes into a digest besides PC, mnemonic and mask of every record in order.
struct Parts {
  bool addresses = true;  ///< of every active lane
  bool registers = true;  ///< as the instruction table reads them
};

inline std::uint64_t digest_of(const trace::Kernel& kernel, Parts parts = {}) {
  Digest digest;
  for_each_cta(kernel, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
    digest.add(cta.index.x);
    digest.add(cta.index.y);
    for (const trace::WarpTrace& warp : cta.warps) {
      digest.add(warp.count);
    }
    for (const trace::DynInst& inst : cta.insts) {
      const isa::StaticInst& fixed = decoder.instructions()[inst.inst];
      digest.add(fixed.pc);
      digest.add(decoder.mnemonic(inst.inst));
      digest.add(inst.mask);
      if (parts.registers) {
        add_registers(digest, fixed);
      }
      if (parts.addresses && inst.address != trace::DynInst::kNoAddress) {
        const trace::AddressForm form = cta.form(inst);
        const auto active = static_cast<std::uint32_t>(std::popcount(inst.mask));
        for (std::uint32_t lane = 0; lane < active; ++lane) {
          digest.add(form.at(lane));
        }
      }
    }
  });
  return digest.value();
}

}  // namespace wg::kernels::testing
