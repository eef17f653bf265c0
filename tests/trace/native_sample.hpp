// Kernels made of records, and the comparison of workloads record by record.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trace/native.hpp"
#include "trace/native_file.hpp"
#include "trace/spelling.hpp"
#include "trace/workload.hpp"

namespace wg::trace::test {

/// A kernel whose records and static instructions lie in memory.
struct MemoryCode {
  KernelHeader header;
  std::vector<Spelling> spellings;
  std::vector<CtaTrace> ctas;
};
std::shared_ptr<const Kernel> kernel_of(MemoryCode code);

/// Anything that the rules of CtaTrace allow: jumps, masks, strides, lists, accesses without addresses.
/// `tame`: only what text can say, too.
MemoryCode random_code(std::uint64_t seed, bool tame);

Workload workload_of(std::vector<Command> commands);

/// Where the two differ first, in words; "" if commands, kernels and all records are the same. Headers are
/// compared but for the tracer's version and the line flag.
std::string difference(const Workload& a, const Workload& b);

/// The bytes of a file.
std::string bytes_of(const std::string& path);

/// The bytes that `write_native` makes of `workload`.
std::string native_bytes(const Workload& workload, const NativeWriteOptions& options = {});
Workload opened(std::string bytes, const native::ReadLimits& limits = {});

/// All fixtures of tests/trace/data in one workload, with copies between them.
Workload fixtures();

}  // namespace wg::trace::test
