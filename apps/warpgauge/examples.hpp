// What `--help` shows below the options of each command.
#pragma once

#include <string>
#include <string_view>

namespace wg::app {

/// One or two command lines for `command` ("warpgauge", "warpgauge trace info" ...), each on a line that
/// begins with two blanks. The tests run all of them.
std::string examples_of(std::string_view command);

}  // namespace wg::app
