// Makes a kernel written as code look like any other kernel of a workload.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/plan.hpp"

namespace wg::kernels {

/// Fills in what `code.header` leaves open (binary version, tracer version, memory windows) and wraps the
/// code. `id` is the launch number, from 1.
std::shared_ptr<const trace::Kernel> make_kernel(KernelCode code, std::uint32_t sm_version, std::uint64_t id);

/// A decoder that compares every emission with the static instruction its slot already holds, for tests of
/// new kernels; throws std::logic_error where a kernel breaks the rules of WarpBuilder.
std::unique_ptr<trace::CtaDecoder> make_verifying_decoder(KernelCode code, std::uint32_t sm_version);

}  // namespace wg::kernels
