// Helpers that walk whole builder workloads.
#pragma once

#include <bit>
#include <functional>
#include <memory>
#include <string>

#include "isa/inst.hpp"
#include "kernels/catalogue.hpp"
#include "trace/workload.hpp"

namespace wg::kernels::testing {

inline std::vector<std::shared_ptr<const trace::Kernel>> kernels_of(const trace::Workload& workload) {
  std::vector<std::shared_ptr<const trace::Kernel>> kernels;
  for (const trace::Command& command : workload.commands) {
    if (const auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
      kernels.push_back(*kernel);
    }
  }
  return kernels;
}

/// Calls `visit(cta, decoder)` for every CTA of a kernel.
inline void for_each_cta(const trace::Kernel& kernel,
                         const std::function<void(const trace::CtaTrace&, const trace::CtaDecoder&)>& visit) {
  const auto source = kernel.open();
  const auto decoder = kernel.decoder();
  trace::CtaBlob blob;
  trace::CtaTrace cta;
  while (source->next(blob)) {
    decoder->decode(blob, cta);
    visit(cta, *decoder);
  }
}

struct Counts {
  std::uint64_t ctas = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t accesses = 0;
};

inline Counts count(const std::string& uri, std::uint32_t sm_version) {
  Counts counts;
  for (const auto& kernel : kernels_of(open_builder(uri, sm_version))) {
    for_each_cta(*kernel, [&](const trace::CtaTrace& cta, const trace::CtaDecoder&) {
      ++counts.ctas;
      counts.warp_instructions += cta.insts.size();
      for (const trace::DynInst& inst : cta.insts) {
        counts.thread_instructions += static_cast<std::uint64_t>(std::popcount(inst.mask));
        counts.accesses += inst.address != trace::DynInst::kNoAddress ? 1U : 0U;
      }
    });
  }
  return counts;
}

/// SM versions of all machines that ship, and the oldest.
inline constexpr std::uint32_t kSmVersions[] = {20, 35, 52, 61, 70, 75, 80, 86, 89, 90};

/// Default URI of an entry, small where the default is large.
inline std::string small_uri(const Entry& entry) {
  std::string uri = "kernel:" + std::string(entry.name);
  return entry.group == Group::shape ? uri + "?scale=0.1" : uri;
}

}  // namespace wg::kernels::testing
