// Whole files in one call, with errors that name the file.
#pragma once

#include <string>
#include <string_view>

namespace wg::report {

/// Throws wg::Error (bad input) when the file cannot be read.
std::string read_file(const std::string& path);

/// Replaces `path` in one step: writes beside it and renames, so that a reader or a killed program never sees
/// half a file. Files that cannot be replaced (pipes, /dev/stdout) are written directly. Throws wg::Error.
void write_file(const std::string& path, std::string_view content);

/// Throws wg::Error when write_file would fail, so that a long run does not end in that error.
void require_writable(const std::string& path);

}  // namespace wg::report
