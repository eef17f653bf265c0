// The only file that knows the command-line library is parse.cpp.
#pragma once

#include <functional>

namespace wg::app {

/// What to do for this command line: a subcommand, or printing help or the version. Throws wg::Error (usage)
/// that names what is wrong and the nearest right word.
std::function<int()> parse(int argc, char** argv);

}  // namespace wg::app
