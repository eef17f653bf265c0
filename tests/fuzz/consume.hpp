// What the fuzz targets do with their bytes. The seeds run through the same as ordinary tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wg::trace::fuzz {

/// Reads `bytes` as a kernel file to the end. A wg::Error is a fine answer; anything unsound in what is handed
/// out aborts. Returns the warp instructions read, or -1 after an error.
std::int64_t consume_kernel(std::string_view bytes);

/// Reads `bytes` as a kernels list. Returns the number of its entries.
std::int64_t consume_list(std::string_view bytes);

}  // namespace wg::trace::fuzz
