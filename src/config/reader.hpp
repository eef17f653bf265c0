// Machine files: finding them, resolving what they inherit, checking them, overriding single values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/field.hpp"
#include "config/machine.hpp"

namespace wg::config {

using Directories = std::vector<std::filesystem::path>;

/// Where machine files live: the directories of $WARPGAUGE_GPUS (separated by ':'), then `prefix`/gpus.
Directories machine_directories(const std::filesystem::path& prefix);

/// What set a value.
struct Origin {
  std::string where;        ///< file:line:column, or "--set l2.size"; empty = the default of this version
  std::string comment;      ///< trailing comment of its line: the source of the figure
  std::uint32_t order = 0;  ///< later settings have greater numbers; 0 = default
};

struct LoadedMachine {
  Machine machine;
  std::vector<Origin> origins;     ///< parallel to fields()
  std::vector<std::string> files;  ///< the chain, from the file asked for to the last one it inherits from
};

/// Reads the machine called `name_or_path`: `<name>.toml` in the first of `directories` that has it, or a
/// path. A file names one other in `inherits` (looked for beside itself, then in `directories`) and overrides
/// it value by value. `overrides` ("l2.size=64MiB") come last, then all rules between fields are checked.
/// Throws one wg::Error with every problem of the whole chain.
LoadedMachine load(const std::string& name_or_path, std::span<const std::string> overrides = {},
                   const Directories& directories = {});

/// load() for those who need only the values.
Machine load_machine(const std::string& name_or_path, std::span<const std::string> overrides = {},
                     const Directories& directories = {});

/// Applies one `key=value` and checks the result. Throws wg::Error and leaves the machine as it was when the
/// key, the value or the resulting machine is wrong.
void apply_override(Machine& machine, std::string_view assignment);

/// Checks every field's range and all rules between fields, for machines built in code. Throws wg::Error.
void check_machine(const Machine& machine);

struct MachineEntry {
  std::string name;
  std::filesystem::path path;
  std::string title;
  std::string problem;  ///< why it cannot be loaded; empty for a good file
};

/// Machines of `directories`, sorted by name; the first directory wins where a name occurs twice. Sub-folders
/// hold bases to inherit from and are not listed. Never throws for a bad file.
std::vector<MachineEntry> list_machines(const Directories& directories);

/// The resolved machine as TOML that loads to the same machine, each value with its source as a comment.
std::string show(const LoadedMachine& loaded);

/// XXH3 over every key and value of the field table: equal machines, and no others, have equal hashes. The
/// same on every platform.
std::uint64_t machine_hash(const Machine& machine);

}  // namespace wg::config
