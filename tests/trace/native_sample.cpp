#include "trace/native_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <tuple>

#include "trace/kernel_file.hpp"
#include "trace/sample.hpp"
#include "trace/summary.hpp"

namespace wg::trace::test {
namespace {

class MemoryDecoder final : public CtaDecoder {
 public:
  explicit MemoryDecoder(std::shared_ptr<const MemoryCode> code) : code_(std::move(code)) {
    isa::Generation generation{};
    isa::generation_of(code_->header.binary_version, generation);
    for (const Spelling& spelling : code_->spellings) {
      insts_.push_back(isa::decode(isa::table_of(generation), spelling.raw(false)));
    }
  }
  void decode(const CtaBlob& blob, CtaTrace& out) override { out = code_->ctas.at(blob.number); }
  [[nodiscard]] std::span<const isa::StaticInst> instructions() const override { return insts_; }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
    return code_->spellings[index].mnemonic;
  }
  [[nodiscard]] isa::RawInst spelling(std::uint32_t index) const override {
    return code_->spellings[index].raw(false);
  }

 private:
  std::shared_ptr<const MemoryCode> code_;
  std::vector<isa::StaticInst> insts_;
};

class MemorySource final : public CtaSource {
 public:
  explicit MemorySource(std::uint64_t count) : count_(count) {}
  bool next(CtaBlob& out) override {
    out = {next_, 0, 0, {}};
    return next_++ < count_;
  }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t count_;
};

class MemoryKernel final : public Kernel {
 public:
  explicit MemoryKernel(MemoryCode code) : code_(std::make_shared<const MemoryCode>(std::move(code))) {}
  [[nodiscard]] const KernelHeader& header() const override { return code_->header; }
  [[nodiscard]] std::unique_ptr<CtaSource> open() const override {
    return std::make_unique<MemorySource>(code_->ctas.size());
  }
  [[nodiscard]] std::unique_ptr<CtaDecoder> decoder() const override {
    return std::make_unique<MemoryDecoder>(code_);
  }

 private:
  std::shared_ptr<const MemoryCode> code_;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

std::uint32_t random_mask(Random& random) {
  switch (random.below(4)) {
    case 0:
      return 0xFFFFFFFF;
    case 1:
      return static_cast<std::uint32_t>(random.below(3)) * 0xFFFF;
    default:
      return static_cast<std::uint32_t>(random.next() & random.next());
  }
}

/// Numbers of any magnitude.
std::uint64_t any_number(Random& random) { return random.next() >> random.below(64); }

void add_access(CtaTrace& cta, DynInst& inst, Random& random, bool tame) {
  const std::uint64_t base = any_number(random);
  const std::uint64_t kind = random.below(tame ? 2 : 3);
  if (kind == 0 || (tame && inst.mask == 0)) {
    const auto stride = static_cast<std::int64_t>(any_number(random) >> 1);
    cta.add_strided(inst, base, inst.mask == 0 ? 0 : random.below(2) == 0 ? 4 : -stride);
  } else if (kind == 1) {
    std::array<std::uint64_t, 32> lanes{};
    const std::uint64_t range = random.below(64);
    const std::uint64_t scale = random.below(17);
    for (std::uint64_t& lane : lanes) {
      lane = base + (random.next() >> range << scale);
    }
    cta.add_list(inst, {lanes.data(), static_cast<std::size_t>(std::popcount(inst.mask))});
  }
}

auto facts(const isa::StaticInst& i) {
  std::vector<std::uint32_t> registers;
  for (const isa::RegRange& range : i.dst) {
    registers.insert(registers.end(), {range.first, range.count});
  }
  for (const isa::RegRange& range : i.src) {
    registers.insert(registers.end(), {range.first, range.count});
  }
  return std::tuple(i.pc, i.cls, i.space, i.width, i.dst_count, i.src_count, i.known, i.has_address,
                    i.bypass_l1, i.arrive_only, i.group, i.address_lanes, i.opcode, i.tensor_fma,
                    i.tensor_bits, std::tuple(i.imm, i.line, registers));
}

bool same_record(const CtaTrace& a, const DynInst& x, const CtaDecoder& da, const CtaTrace& b,
                 const DynInst& y, const CtaDecoder& db) {
  const bool addressed = x.address != DynInst::kNoAddress;
  if (x.mask != y.mask || addressed != (y.address != DynInst::kNoAddress) ||
      da.mnemonic(x.inst) != db.mnemonic(y.inst) ||
      facts(da.instructions()[x.inst]) != facts(db.instructions()[y.inst])) {
    return false;
  }
  for (std::uint32_t lane = 0; addressed && lane < static_cast<std::uint32_t>(std::popcount(x.mask));
       ++lane) {
    if (a.form(x).at(lane) != b.form(y).at(lane)) {
      return false;
    }
  }
  return !addressed || x.mask != 0 || a.form(x).base == b.form(y).base;
}

std::string cta_difference(const CtaTrace& a, const CtaDecoder& da, const CtaTrace& b, const CtaDecoder& db) {
  if (a.index != b.index || a.warps.size() != b.warps.size() || a.insts.size() != b.insts.size()) {
    return "index, warps or instructions of a CTA";
  }
  for (std::size_t w = 0; w < a.warps.size(); ++w) {
    if (a.warps[w].warp != b.warps[w].warp || a.warps[w].count != b.warps[w].count) {
      return fmt::format("warp {}", w);
    }
    for (std::uint32_t i = 0; i < a.warps[w].count; ++i) {
      const DynInst& x = a.insts[a.warps[w].first + i];
      const DynInst& y = b.insts[b.warps[w].first + i];
      if (!same_record(a, x, da, b, y, db)) {
        return fmt::format("warp {} instruction {}: {} | {}", w, i, describe(a, x, da), describe(b, y, db));
      }
    }
  }
  return "";
}

std::string header_difference(const KernelHeader& a, const KernelHeader& b) {
  const auto all = [](const KernelHeader& h) {
    return std::tuple(h.name, h.id, h.grid.x, h.grid.y, h.grid.z, h.block.x, h.block.y, h.block.z,
                      h.shared_bytes.count(), h.registers, h.binary_version, h.stream, h.shared_base,
                      h.local_base, h.nvbit_version);
  };
  return all(a) == all(b) ? "" : fmt::format("headers of {} and {}", a.name, b.name);
}

std::string kernel_difference(const Kernel& a, const Kernel& b) {
  if (std::string found = header_difference(a.header(), b.header()); !found.empty()) {
    return found;
  }
  const auto sa = a.open();
  const auto sb = b.open();
  const auto da = a.decoder();
  const auto db = b.decoder();
  CtaBlob ba;
  CtaBlob bb;
  CtaTrace ca;
  CtaTrace cb;
  for (std::uint64_t number = 0;; ++number) {
    const bool more = sa->next(ba);
    if (more != sb->next(bb)) {
      return "the number of CTAs";
    }
    if (!more) {
      return "";
    }
    da->decode(ba, ca);
    db->decode(bb, cb);
    if (std::string found = cta_difference(ca, *da, cb, *db); !found.empty()) {
      return fmt::format("{}: CTA {} {}", a.header().name, number, found);
    }
  }
}

}  // namespace

std::shared_ptr<const Kernel> kernel_of(MemoryCode code) {
  return std::make_shared<MemoryKernel>(std::move(code));
}

MemoryCode random_code(std::uint64_t seed, bool tame) {
  Random random(seed);
  MemoryCode code;
  KernelHeader& h = code.header;
  h.name = fmt::format("random{}", seed);
  h.id = random.next();
  h.grid = {static_cast<std::uint32_t>(1 + random.below(40)), static_cast<std::uint32_t>(1 + random.below(3)),
            1};
  h.block = {static_cast<std::uint32_t>(1 + random.below(150)), 1, 1};
  h.binary_version = 70;
  h.tracer_version = 5;
  h.shared_base = random.next();
  h.line_info = seed % 2 == 0;
  constexpr std::array<const char*, 5> kNames = {"LDG.E.64", "FFMA", "STG.E", "WHAT.EVER", "HMMA.16816.F32"};
  for (std::uint64_t i = 0, count = 1 + random.below(60); i < count; ++i) {
    Spelling& s = code.spellings.emplace_back();
    const std::uint64_t name = random.below(kNames.size());
    s.pc = any_number(random);
    s.mnemonic = kNames[name];
    s.has_address = name == 0 || name == 2;
    s.traced_width = s.has_address ? static_cast<std::uint8_t>(1 + random.below(255)) : std::uint8_t{0};
    s.dst.assign(random.below(2), static_cast<std::uint16_t>(random.below(256)));
    s.src.assign(random.below(5), static_cast<std::uint16_t>(random.below(256)));
    s.imm = static_cast<std::int32_t>(any_number(random));
    s.line = h.line_info ? static_cast<std::uint32_t>(random.next()) : 0;
  }
  for (std::uint64_t number = 0; number < h.grid.count(); ++number) {
    CtaTrace& cta = code.ctas.emplace_back();
    const auto order = static_cast<std::uint32_t>((number * 7 + seed) % h.grid.count());
    const auto place = h.grid.count() % 7 == 0 ? static_cast<std::uint32_t>(number) : order;
    cta.index = {place % h.grid.x, place / h.grid.x, 0};
    for (std::uint32_t warp = 0; warp < h.warps_per_cta(); ++warp) {
      const auto first = static_cast<std::uint32_t>(cta.insts.size());
      std::uint64_t at = random.below(code.spellings.size());
      std::uint32_t mask = random_mask(random);
      const auto count = static_cast<std::uint32_t>(random.below(50));
      for (std::uint32_t i = 0; i < count; ++i) {
        at = random.below(4) == 0 ? random.below(code.spellings.size()) : (at + 1) % code.spellings.size();
        mask = random.below(4) == 0 ? random_mask(random) : mask;
        DynInst inst{static_cast<std::uint32_t>(at), mask, DynInst::kNoAddress};
        if (code.spellings[at].has_address) {
          add_access(cta, inst, random, tame);
        }
        cta.insts.push_back(inst);
      }
      cta.warps.push_back({warp, first, count});
    }
  }
  return code;
}

Workload workload_of(std::vector<Command> commands) {
  Workload workload;
  workload.commands = std::move(commands);
  return workload;
}

std::string difference(const Workload& a, const Workload& b) {
  if (a.commands.size() != b.commands.size()) {
    return fmt::format("{} and {} commands", a.commands.size(), b.commands.size());
  }
  for (std::size_t i = 0; i < a.commands.size(); ++i) {
    if (a.commands[i].index() != b.commands[i].index()) {
      return fmt::format("the kind of command {}", i);
    }
    if (const Copy* x = std::get_if<Copy>(&a.commands[i])) {
      const Copy& y = std::get<Copy>(b.commands[i]);
      if (x->kind != y.kind || x->address != y.address || x->bytes != y.bytes) {
        return fmt::format("copy {}", i);
      }
    } else if (std::string found =
                   kernel_difference(*std::get<1>(a.commands[i]), *std::get<1>(b.commands[i]));
               !found.empty()) {
      return found;
    }
  }
  return "";
}

std::string bytes_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

std::string native_bytes(const Workload& workload, const NativeWriteOptions& options) {
  const TempFolder folder;
  const std::string path = folder.path() + "/x.wgt";
  write_native(workload, path, options);
  return bytes_of(path);
}

Workload opened(std::string bytes, const native::ReadLimits& limits) {
  return native_workload(native::FileBytes::of_memory("x.wgt", std::move(bytes), limits));
}

Workload fixtures() {
  const std::filesystem::path folder = std::filesystem::path(WG_SOURCE_DIR) / "tests/trace/data";
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::ranges::sort(paths);
  Workload out;
  for (const std::string& path : paths) {
    const auto kind = static_cast<CopyKind>(out.commands.size() / 2 % 3);
    out.commands.emplace_back(Copy{kind, 0x7f0000000000 + out.commands.size(), Bytes{paths.size()}});
    out.commands.emplace_back(open_kernel_file(path));
  }
  return out;
}

}  // namespace wg::trace::test
