#include "bench_kernel.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace wg::sm::test {
namespace {

class Source final : public trace::CtaSource {
 public:
  explicit Source(std::uint64_t count) : count_(count) {}
  bool next(trace::CtaBlob& out) override {
    if (next_ == count_) {
      return false;
    }
    out.number = next_++;
    return true;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t count_;
};

class Decoder final : public trace::CtaDecoder {
 public:
  Decoder(std::shared_ptr<const Code> code, bool growing) : code_(std::move(code)), growing_(growing) {
    if (!growing_) {
      table_ = code_->insts;
    }
  }

  void decode(const trace::CtaBlob& blob, trace::CtaTrace& out) override {
    const CtaCode& cta = code_->ctas.at(blob.number);
    if (growing_) {
      grow(cta);
    }
    out.clear();
    out.index = {static_cast<std::uint32_t>(blob.number), 0, 0};
    for (std::uint32_t warp = 0; warp < cta.size(); ++warp) {
      out.warps.push_back(
          {warp, static_cast<std::uint32_t>(out.insts.size()), static_cast<std::uint32_t>(cta[warp].size())});
      for (const Op& op : cta[warp]) {
        trace::DynInst inst{op.inst, op.mask, trace::DynInst::kNoAddress};
        if (op.has_address && op.strided) {
          out.add_strided(inst, op.base, op.stride);
        } else if (op.has_address) {
          out.add_list(inst, op.list);
        }
        out.insts.push_back(inst);
      }
    }
  }
  [[nodiscard]] std::span<const isa::StaticInst> instructions() const override { return table_; }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
    return code_->names.at(index);
  }

 private:
  void grow(const CtaCode& cta) {
    std::size_t known = table_.size();
    for (const WarpCode& warp : cta) {
      for (const Op& op : warp) {
        known = std::max<std::size_t>(known, op.inst + 1);
      }
    }
    std::vector<isa::StaticInst> table(code_->insts.begin(),
                                       code_->insts.begin() + static_cast<std::ptrdiff_t>(known));
    table_.swap(table);
    std::fill(table.begin(), table.end(), isa::StaticInst{.cls = isa::InstClass::exit});
    spoiled_.push_back(std::move(table));
  }

  std::shared_ptr<const Code> code_;
  bool growing_;
  std::vector<isa::StaticInst> table_;
  std::vector<std::vector<isa::StaticInst>> spoiled_;
};

class BenchKernel final : public trace::Kernel {
 public:
  BenchKernel(Code code, bool growing)
      : code_(std::make_shared<const Code>(std::move(code))), growing_(growing) {}
  [[nodiscard]] const trace::KernelHeader& header() const override { return code_->header; }
  [[nodiscard]] std::unique_ptr<trace::CtaSource> open() const override {
    return std::make_unique<Source>(code_->ctas.size());
  }
  [[nodiscard]] std::unique_ptr<trace::CtaDecoder> decoder() const override {
    return std::make_unique<Decoder>(code_, growing_);
  }

 private:
  std::shared_ptr<const Code> code_;
  bool growing_;
};

void set_registers(isa::StaticInst& inst, Registers dst, Registers src) {
  std::copy(dst.begin(), dst.end(), inst.dst.begin());
  std::copy(src.begin(), src.end(), inst.src.begin());
  inst.dst_count = static_cast<std::uint8_t>(dst.size());
  inst.src_count = static_cast<std::uint8_t>(src.size());
}

}  // namespace

Code::Code() {
  header.name = "bench";
  header.id = 1;
  header.shared_base = 0x7f00'0000'0000;
  header.local_base = 0x7f00'0200'0000;
  header.registers = 32;
}

std::uint32_t Code::inst(isa::InstClass cls, Registers dst, Registers src, std::string name) {
  isa::StaticInst inst;
  inst.cls = cls;
  inst.pc = insts.empty() ? 0 : insts.back().pc + 16;
  set_registers(inst, dst, src);
  insts.push_back(inst);
  names.push_back(name.empty() ? std::string(isa::name_of(cls)) : std::move(name));
  return static_cast<std::uint32_t>(insts.size() - 1);
}

std::uint32_t Code::access(isa::InstClass cls, isa::Space space, std::uint32_t width, Registers dst,
                           Registers src) {
  const std::uint32_t index = inst(cls, dst, src);
  insts[index].space = space;
  insts[index].width = static_cast<std::uint8_t>(width);
  insts[index].has_address = true;
  return index;
}

std::uint32_t Code::exit() {
  if (exit_ == ~std::uint32_t{0}) {
    exit_ = inst(isa::InstClass::exit, {}, {}, "EXIT");
  }
  return exit_;
}

std::uint64_t Code::warp_instructions() const {
  std::uint64_t sum = 0;
  for (const CtaCode& cta : ctas) {
    for (const WarpCode& warp : cta) {
      sum += warp.size();
    }
  }
  return sum;
}

Op at(std::uint32_t inst, std::uint64_t base, std::int64_t stride, std::uint32_t mask) {
  return {.inst = inst, .mask = mask, .has_address = true, .base = base, .stride = stride, .list = {}};
}

Op at_each(std::uint32_t inst, std::vector<std::uint64_t> lanes, std::uint32_t mask) {
  return {.inst = inst, .mask = mask, .has_address = true, .strided = false, .list = std::move(lanes)};
}

WarpCode plain(std::initializer_list<std::uint32_t> insts) {
  WarpCode code;
  for (const std::uint32_t inst : insts) {
    code.push_back({.inst = inst, .list = {}});
  }
  return code;
}

std::shared_ptr<const trace::Kernel> make_kernel(Code code, bool growing) {
  return std::make_shared<BenchKernel>(std::move(code), growing);
}

}  // namespace wg::sm::test
