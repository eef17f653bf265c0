#include <cstddef>

#include "fuzz/consume.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wg::trace::fuzz::consume_native({reinterpret_cast<const char*>(data), size}, false);
  return 0;
}
