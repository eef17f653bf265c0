// Bandwidths as options give them.
#pragma once

#include <cstdint>
#include <string>

namespace wg::app {

/// Bytes per second of "12.8GB/s", "16 GB/s" or "900MB/s"; a number alone is in GB/s. From 1 MB/s to 100
/// TB/s. Throws wg::Error (usage) that names `option`.
std::uint64_t rate_of(const std::string& option, const std::string& text);
/// Likewise for --link, which also takes the name of a link that ships, such as "pcie4".
std::uint64_t link_rate(const std::string& text);

}  // namespace wg::app
