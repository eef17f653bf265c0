#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/format.hpp"

namespace wg::report {
namespace {

constexpr double kNearLimit = 0.75;    ///< a limit used this much explains the time by itself
constexpr double kLowOccupancy = 0.5;  ///< of the machine's warps

constexpr std::array<std::string_view, sm::kStalls> kPhrases{"fixed-latency results",
                                                             "results of MUFU, tensor or FP64",
                                                             "loads served by the L1",
                                                             "loads and atomics served by the L2",
                                                             "loads served by DRAM",
                                                             "pages not on the device",
                                                             "shared memory and shuffles",
                                                             "constant loads",
                                                             "barriers",
                                                             "fences and asynchronous copies",
                                                             "instruction fetch",
                                                             "the bubble after taken branches",
                                                             "the FMA pipe",
                                                             "the ALU pipe",
                                                             "the FP16 pipe",
                                                             "the FP64 pipe",
                                                             "the XU pipe",
                                                             "the tensor pipe",
                                                             "the uniform pipe",
                                                             "the branch pipe",
                                                             "the load/store queue",
                                                             "another warp that was selected",
                                                             "the loads and stores of exited warps",
                                                             "a warp: none is on the sub-core",
                                                             "the launch of the kernel"};
static_assert(!kPhrases.back().empty(), "one phrase for each reason");

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string_view slot_phrase(sm::Stall stall) {
  switch (stall) {
    case sm::Stall::drain:
      return "pass while exited warps wait for their loads and stores";
    case sm::Stall::no_warp:
      return "have no warp on their sub-core";
    case sm::Stall::launch:
      return "pass before the first CTA arrives";
    default:
      return "";
  }
}

}  // namespace

std::string_view phrase(sm::Stall stall) { return kPhrases[static_cast<std::size_t>(stall)]; }

std::vector<SlotShare> slot_shares(const sm::StallCycles& slots, std::uint64_t issued, std::uint64_t all) {
  std::vector<SlotShare> out{
      {"issued", "an instruction was issued", issued, ratio(issued, all), sm::kStalls}};
  for (std::size_t i = 0; i < sm::kStalls; ++i) {
    if (slots[i] != 0) {
      const auto stall = static_cast<sm::Stall>(i);
      out.push_back({sm::name_of(stall), phrase(stall), slots[i], ratio(slots[i], all), i});
    }
  }
  std::stable_sort(out.begin() + 1, out.end(),
                   [](const SlotShare& a, const SlotShare& b) { return a.slots > b.slots; });
  return out;
}

std::string verdict(const gpu::KernelResult& kernel) {
  std::string limit;
  double used = 0;
  if (!kernel.limits.empty()) {
    const gpu::Limit& nearest = kernel.limits.front();
    used = nearest.share();
    limit = fmt::format("{} is at {} of its peak", nearest.name, percent(used));
  }
  const std::vector<SlotShare> shares = slot_shares(kernel.slots, kernel.issued_slots, kernel.issue_slots);
  if (used >= kNearLimit || shares.size() < 2) {
    return limit.empty() ? "nothing was waited for" : limit;
  }
  const SlotShare& top = shares[1];
  const auto stall = static_cast<sm::Stall>(top.reason);
  std::string out = slot_phrase(stall).empty()
                        ? fmt::format("{} of issue slots wait for {}", percent(top.share), top.meaning)
                        : fmt::format("{} of issue slots {}", percent(top.share), slot_phrase(stall));
  if (!limit.empty()) {
    out += fmt::format("; the nearest limit, {}, is at {}", kernel.limits.front().name, percent(used));
  }
  const gpu::Occupancy& o = kernel.occupancy;
  if (o.limited_by == "grid") {
    return out + fmt::format("; the grid has only {}", counted(kernel.ctas, "CTA"));
  }
  if (ratio(o.warps_per_sm, o.max_warps_per_sm) < kLowOccupancy && !o.limited_by.empty()) {
    out += fmt::format("; {} warps fit on an SM (of {}, limited by {})", o.warps_per_sm, o.max_warps_per_sm,
                       o.limited_by);
  }
  return out;
}

std::string waits_for(const gpu::PcProfile& row) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sm::kStalls; ++i) {
    if (row.stalls[i] != 0) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&row](std::size_t a, std::size_t b) { return row.stalls[a] > row.stalls[b]; });
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 2); ++i) {
    const double share = ratio(row.stalls[order[i]], row.stalled());
    if (i == 0 || share >= 0.005) {
      out += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", sm::name_of(static_cast<sm::Stall>(order[i])),
                         100 * share);
    }
  }
  return out;
}

double ipc(const gpu::KernelResult& kernel) { return ratio(kernel.warp_instructions, kernel.cycles); }
double thread_ipc(const gpu::KernelResult& kernel) {
  return ratio(kernel.thread_instructions, kernel.cycles);
}

}  // namespace wg::report
