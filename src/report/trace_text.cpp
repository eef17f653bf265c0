#include "report/trace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/text.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace wg::report {
namespace {

constexpr std::size_t kMostUnknown = 20;

std::string dims(const trace::Dim3& d) { return fmt::format("{}x{}x{}", d.x, d.y, d.z); }

std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string copies_text(const trace::Workload& workload) {
  std::uint64_t count = 0, total = 0;
  for (const trace::Command& command : workload.commands) {
    if (const auto* copy = std::get_if<trace::Copy>(&command)) {
      ++count;
      total += copy->bytes.count();
    }
  }
  return count == 0
             ? ""
             : fmt::format("{} of {} in all\n",
                           count == 1 ? "1 memory copy" : grouped(count) + " memory copies", bytes(total));
}

}  // namespace

std::vector<const trace::Kernel*> kernels_of(const trace::Workload& workload) {
  std::vector<const trace::Kernel*> out;
  for (const trace::Command& command : workload.commands) {
    if (const auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
      out.push_back(kernel->get());
    }
  }
  return out;
}

std::string workload_text(const trace::Workload& workload) {
  const std::vector<const trace::Kernel*> kernels = kernels_of(workload);
  Table table({{"#"},
               {"id"},
               {"kernel", Align::left, 32},
               {"grid", Align::left},
               {"block", Align::left},
               {"registers"},
               {"shared"},
               {"SM"},
               {"stream"}});
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const trace::KernelHeader& h = kernels[i]->header();
    table.row({std::to_string(i + 1), std::to_string(h.id), readable_name(h.name), dims(h.grid),
               dims(h.block), std::to_string(h.registers), bytes(h.shared_bytes.count()),
               std::to_string(h.binary_version), std::to_string(h.stream)});
  }
  return fmt::format("{}: {}, hash {:016x}\n{}{}", workload.name, counted(kernels.size(), "kernel"),
                     workload.hash, table.text(), copies_text(workload));
}

std::string summary_text(const trace::KernelSummary& s) {
  Table facts({{"", Align::left}, {""}, {"", Align::left}});
  facts.row({"CTAs", grouped(s.ctas),
             fmt::format("{}, {} without an instruction", counted(s.warps, "warp"), grouped(s.empty_warps))});
  facts.row({"warp instructions", grouped(s.warp_instructions),
             s.warps == 0 ? ""
                          : fmt::format("{} to {} in a warp", grouped(s.min_warp_instructions),
                                        grouped(s.max_warp_instructions))});
  facts.row({"thread instructions", grouped(s.thread_instructions),
             s.warp_instructions == 0 ? ""
                                      : fmt::format("{} lanes of 32 on average",
                                                    compact(static_cast<double>(s.thread_instructions) /
                                                            static_cast<double>(s.warp_instructions)))});
  facts.row({"predicated off", grouped(s.predicated_off), share(s.predicated_off, s.warp_instructions)});
  facts.row(
      {"with addresses", grouped(s.memory_instructions), share(s.memory_instructions, s.warp_instructions)});
  facts.row({"distinct instructions", grouped(s.static_instructions)});
  facts.row({"global memory touched", bytes(s.footprint_lines * 128),
             s.footprint_exact ? "" : "at least, or counted once per kernel"});
  facts.row({"text read", bytes(s.text_bytes)});
  Table mix({{"", Align::left}, {""}, {""}});
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    if (s.by_class[i] != 0) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&s](std::size_t a, std::size_t b) { return s.by_class[a] > s.by_class[b]; });
  for (const std::size_t i : order) {
    mix.row({std::string(isa::name_of(static_cast<isa::InstClass>(i))), grouped(s.by_class[i]),
             share(s.by_class[i], s.warp_instructions)});
  }
  std::string out = facts.text() + "Instruction mix\n" + mix.text();
  for (std::size_t i = 0; i < std::min(s.unknown.size(), kMostUnknown); ++i) {
    out += fmt::format("{}  {} x{}\n", i == 0 ? "Unknown opcodes\n" : "", s.unknown[i].mnemonic,
                       grouped(s.unknown[i].count));
  }
  return out;
}

std::string check_text(const trace::CheckReport& report, const std::string& path) {
  std::string out;
  for (const Problem& problem : report.problems) {
    out += problem.text() + '\n';
  }
  for (const std::string& warning : report.warnings) {
    out += "warning: " + printable(warning) + '\n';
  }
  out += fmt::format(
      "{}: {} ({}, {} read)\n", path, report.good() ? "sound" : counted(report.problem_count, "problem"),
      counted(report.summary.ctas, "CTA"), counted(report.summary.warp_instructions, "warp instruction"));
  return out;
}

std::string cta_text(const trace::Workload& workload, std::uint64_t kernel, std::uint64_t cta) {
  const std::vector<const trace::Kernel*> kernels = kernels_of(workload);
  if (kernel == 0 || kernel > kernels.size()) {
    throw Error({"--kernel", fmt::format("1 to {}", kernels.size()), std::to_string(kernel), ""},
                ExitCode::usage);
  }
  const std::unique_ptr<trace::CtaSource> source = kernels[kernel - 1]->open();
  const std::unique_ptr<trace::CtaDecoder> decoder = kernels[kernel - 1]->decoder();
  trace::CtaBlob blob;
  for (std::uint64_t i = 0; i <= cta; ++i) {
    if (!source->next(blob)) {
      throw Error({"--cta", fmt::format("0 to {}", i == 0 ? 0 : i - 1), std::to_string(cta), ""},
                  ExitCode::usage);
    }
  }
  trace::CtaTrace body;
  decoder->decode(blob, body);
  std::string out = fmt::format("kernel {} {}, CTA {} at ({}, {}, {})\n", kernel,
                                readable_name(kernels[kernel - 1]->header().name), cta, body.index.x,
                                body.index.y, body.index.z);
  for (const trace::WarpTrace& warp : body.warps) {
    out += fmt::format("warp {}: {}\n", warp.warp, counted(warp.count, "instruction"));
    for (std::uint32_t i = warp.first; i < warp.first + warp.count; ++i) {
      out += "  " + trace::describe(body, body.insts[i], *decoder) + '\n';
    }
  }
  return out;
}

}  // namespace wg::report
