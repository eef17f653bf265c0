#include <cstddef>

#include "fuzz/consume.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wg::trace::fuzz::consume_tracez({reinterpret_cast<const char*>(data), size});
  return 0;
}
