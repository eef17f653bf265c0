// The report as one HTML file: inline SVG, no script, nothing loaded from anywhere.
#pragma once

#include <string>
#include <string_view>

#include "gpu/result.hpp"

namespace wg::report {

std::string html(const gpu::RunResult& result);

/// Text made safe inside elements and quoted attributes.
std::string escaped(std::string_view text);

}  // namespace wg::report
