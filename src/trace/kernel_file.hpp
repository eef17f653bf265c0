// A kernel whose instructions lie in a trace file (or in memory, for tests).
#pragma once

#include <memory>
#include <string>

#include "trace/byte_stream.hpp"
#include "trace/header.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

/// What all parts of one kernel file share; never changes after the header is read.
struct KernelFile {
  std::string name;  ///< for messages
  StreamOpener opener;
  ParsedHeader parsed;
};

/// Reads the header of the file that `opener` opens. Throws wg::Error.
std::shared_ptr<const Kernel> open_kernel(std::string name, StreamOpener opener);
std::shared_ptr<const Kernel> open_kernel_file(const std::string& path);

/// A reader over the body: header skipped, place known.
BlockReader open_body(const KernelFile& file);

std::unique_ptr<CtaSource> make_grouped_source(std::shared_ptr<const KernelFile> file);

/// `run_bytes`: text that the grouping of a raw file holds in memory at a time; the rest goes to a temporary
/// file.
std::unique_ptr<CtaSource> make_raw_source(std::shared_ptr<const KernelFile> file, std::size_t run_bytes);

std::unique_ptr<CtaDecoder> make_decoder(std::shared_ptr<const KernelFile> file);

}  // namespace wg::trace
