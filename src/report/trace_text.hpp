// What a recorded workload holds, as text for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/summary.hpp"
#include "trace/workload.hpp"

namespace wg::report {

/// Kernels of a workload in launch order.
std::vector<const trace::Kernel*> kernels_of(const trace::Workload& workload);

/// One line per kernel from the headers, then copies. Cheap: reads no body.
std::string workload_text(const trace::Workload& workload);
/// Counts, instruction mix, footprint and unknown opcodes of what was read.
std::string summary_text(const trace::KernelSummary& summary);
/// Problems, warnings and a closing sentence.
std::string check_text(const trace::CheckReport& report, const std::string& path);
/// Every instruction of one CTA, warp by warp. Throws wg::Error (usage) when there is no such kernel or CTA.
std::string cta_text(const trace::Workload& workload, std::uint64_t kernel, std::uint64_t cta);

}  // namespace wg::report
