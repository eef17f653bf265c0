// The text of a kernels list: memory copies and kernel files in program order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "trace/workload.hpp"

namespace wg::trace {

/// A kernel file as the list names it.
struct KernelEntry {
  std::string file;
  std::uint64_t line = 0;
};

struct KernelsList {
  std::vector<std::variant<Copy, KernelEntry>> entries;
  std::vector<Problem> problems;      ///< malformed copies
  std::vector<std::string> warnings;  ///< one for each kind of skipped line, with its count
};

/// Lines: `Memcpy<kind>,0x<address>,<bytes>` where <kind> holds HtoD, DtoH or DtoD (fields of other names in
/// between are passed over, as the asynchronous forms have them); `kernel...` or a name with ".trace" in it;
/// empty lines and lines with '#'. Anything else is skipped with a warning. `name` is for messages.
KernelsList parse_kernels_list(std::string_view text, const std::string& name);

}  // namespace wg::trace
