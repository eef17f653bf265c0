#include "trace/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <span>
#include <utility>

#include "trace/accumulate.hpp"
#include "trace/header.hpp"
#include "trace/opened.hpp"

namespace wg::trace {
namespace {

/// Collects problems up to a number and counts the rest.
class Collector {
 public:
  Collector(CheckReport& report, std::size_t most) : report_(report), most_(most) {}
  void add(const std::vector<Problem>& problems) {
    for (const Problem& problem : problems) {
      ++report_.problem_count;
      if (report_.problems.size() < most_) {
        report_.problems.push_back(problem);
      }
    }
  }

 private:
  CheckReport& report_;
  std::size_t most_;
};

/// Reads the next CTA, or notes why not and tries the one behind. A source that is beyond repair ends by
/// returning false.
bool next_readable(CtaSource& source, CtaBlob& blob, Collector& collector) {
  for (;;) {
    try {
      return source.next(blob);
    } catch (const Error& error) {
      collector.add(error.problems());
    }
  }
}

void add_warnings(const Kernel& kernel, const Accumulator& counts, CheckReport& report) {
  const KernelHeader& header = kernel.header();
  const std::string label = fmt::format("kernel {} {}", header.id, header.name);
  for (const UnknownOpcode& unknown : report.summary.unknown) {
    report.warnings.push_back(fmt::format("{}: opcode {} is not known for SM {} ({} warp instructions)",
                                          label, unknown.mnemonic, header.binary_version, unknown.count));
  }
  if (report.summary.unfinished_warps > 0) {
    report.warnings.push_back(
        fmt::format("{}: {} of {} warps do not end in EXIT; the recording may be cut off", label,
                    report.summary.unfinished_warps, report.summary.warps));
  }
  if (counts.misaligned() > 0) {
    report.warnings.push_back(
        fmt::format("{}: {} addresses are no multiple of their access width, first in {}", label,
                    counts.misaligned(), counts.first_misaligned()));
  }
  if (counts.stray_lanes() > 0) {
    report.warnings.push_back(
        fmt::format("{}: {} instructions run lanes that the block of {} threads lacks, first in {}", label,
                    counts.stray_lanes(), header.threads_per_cta(), counts.first_stray()));
  }
}

std::string register_name(std::uint16_t number) {
  if (number <= isa::kRegZero) {
    return fmt::format("R{}", number);
  }
  if (number <= isa::kRegPredicateTrue) {
    return fmt::format("P{}", number - isa::kRegPredicate0);
  }
  if (number <= isa::kRegUniformZero) {
    return fmt::format("UR{}", number - isa::kRegUniform0);
  }
  return number == isa::kRegAnyPredicate ? "P?" : fmt::format("UP{}", number - isa::kRegUniformPredicate0);
}

/// " R2 R4-R7", or nothing.
std::string registers(std::span<const isa::RegRange> ranges) {
  std::string out;
  for (const isa::RegRange& range : ranges) {
    out += ' ' + register_name(range.first);
    if (range.count > 1) {
      out += '-' + register_name(static_cast<std::uint16_t>(range.first + range.count - 1));
    }
  }
  return out;
}

std::size_t sectors(const AddressForm& form, std::uint32_t lanes, std::uint32_t width) {
  constexpr std::uint64_t kSector = 32;
  std::set<std::uint64_t> seen;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t last = (form.at(lane) + std::max(width, 1U) - 1) / kSector;
    for (std::uint64_t sector = form.at(lane) / kSector; sector <= last; ++sector) {
      seen.insert(sector);
    }
  }
  return seen.size();
}

std::string addresses(const AddressForm& form, const DynInst& inst, const isa::StaticInst& info) {
  if (inst.mask == 0) {
    return " []";
  }
  std::string out;
  if (info.space != isa::Space::shared) {
    const auto lanes = static_cast<std::uint32_t>(std::popcount(inst.mask));
    const std::size_t count = sectors(form, lanes, info.width);
    out = fmt::format(" {} sector{}", count, count == 1 ? "" : "s");
  }
  return out + (form.strided ? fmt::format(" [0x{:x} {:+d}]", form.base, form.stride)
                             : fmt::format(" [0x{:x}]", fmt::join(form.list, " 0x")));
}

}  // namespace

KernelSummary summarize(const Kernel& kernel, const SummaryOptions& options) {
  const std::unique_ptr<CtaSource> source = kernel.open();
  const std::unique_ptr<CtaDecoder> decoder = kernel.decoder();
  Accumulator counts(kernel.header(), *decoder, options.footprint_cap);
  CtaBlob blob;
  CtaTrace cta;
  while (source->next(blob)) {
    decoder->decode(blob, cta);
    counts.add(blob, cta);
  }
  return counts.result();
}

void merge(KernelSummary& to, const KernelSummary& from) {
  const auto least = [](const KernelSummary& s) {
    return s.warps == 0 ? std::numeric_limits<std::uint64_t>::max() : s.min_warp_instructions;
  };
  to.min_warp_instructions = std::min(least(to), least(from));
  to.max_warp_instructions = std::max(to.max_warp_instructions, from.max_warp_instructions);
  to.footprint_exact = to.ctas == 0 ? from.footprint_exact : from.ctas == 0 && to.footprint_exact;
  for (std::uint64_t KernelSummary::* field :
       {&KernelSummary::ctas, &KernelSummary::warps, &KernelSummary::empty_warps,
        &KernelSummary::unfinished_warps, &KernelSummary::warp_instructions,
        &KernelSummary::thread_instructions, &KernelSummary::predicated_off,
        &KernelSummary::memory_instructions, &KernelSummary::static_instructions, &KernelSummary::text_bytes,
        &KernelSummary::footprint_lines}) {
    to.*field += from.*field;
  }
  for (std::size_t c = 0; c < to.by_class.size(); ++c) {
    to.by_class[c] += from.by_class[c];
  }
  for (const UnknownOpcode& unknown : from.unknown) {
    const auto same = std::find_if(to.unknown.begin(), to.unknown.end(), [&](const UnknownOpcode& other) {
      return other.mnemonic == unknown.mnemonic;
    });
    if (same == to.unknown.end()) {
      to.unknown.push_back(unknown);
    } else {
      same->count += unknown.count;
    }
  }
}

CheckReport check_kernel(const Kernel& kernel, std::size_t most_problems) {
  CheckReport report;
  Collector collector(report, most_problems);
  const std::unique_ptr<CtaDecoder> decoder = kernel.decoder();
  Accumulator counts(kernel.header(), *decoder, 0);
  try {
    const std::unique_ptr<CtaSource> source = kernel.open();
    CtaBlob blob;
    CtaTrace cta;
    while (next_readable(*source, blob, collector)) {
      try {
        decoder->decode(blob, cta);
        counts.add(blob, cta);
      } catch (const Error& error) {
        collector.add(error.problems());
      }
    }
  } catch (const Error& error) {
    collector.add(error.problems());
  }
  report.summary = counts.result();
  add_warnings(kernel, counts, report);
  return report;
}

CheckReport check_trace(const std::string& path, std::size_t most_problems,
                        const std::function<void(const KernelHeader&)>& progress) {
  CheckReport report;
  Collector collector(report, most_problems);
  Opened opened;
  try {
    opened = open_readable(path);
  } catch (const Error& error) {
    collector.add(error.problems());
  }
  collector.add(opened.problems);
  report.warnings = std::move(opened.workload.warnings);
  for (const Command& command : opened.workload.commands) {
    const auto* const kernel = std::get_if<std::shared_ptr<const Kernel>>(&command);
    if (kernel == nullptr) {
      continue;
    }
    if (progress) {
      progress((*kernel)->header());
    }
    const CheckReport one = check_kernel(**kernel, most_problems);
    collector.add(one.problems);
    report.problem_count += one.problem_count - one.problems.size();
    report.warnings.insert(report.warnings.end(), one.warnings.begin(), one.warnings.end());
    merge(report.summary, one.summary);
  }
  return report;
}

std::string describe(const CtaTrace& cta, const DynInst& inst, const CtaDecoder& decoder) {
  const isa::StaticInst& info = decoder.instructions()[inst.inst];
  std::string out = fmt::format("{:04x} {:08x} {}", info.pc, inst.mask, decoder.mnemonic(inst.inst));
  out += registers(info.writes());
  out += info.src_count == 0 ? "" : " <-" + registers(info.reads());
  out += info.imm == 0 ? "" : fmt::format(" imm {}", info.imm);
  return inst.address == DynInst::kNoAddress ? out : out + addresses(cta.form(inst), inst, info);
}

void write_grouped(const Kernel& kernel, const std::function<void(std::string_view)>& write) {
  write(header_text(kernel.header()));
  const std::unique_ptr<CtaSource> source = kernel.open();
  for (CtaBlob blob; source->next(blob);) {
    write(blob.text);
    write("#END_TB\n\n");
  }
}

}  // namespace wg::trace
