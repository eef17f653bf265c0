// Results as JSON, there and back. The keys are a contract for scripts: schema/result.schema.json describes
// them, the dictionary explains every counter.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/result.hpp"
#include "report/settings.hpp"

namespace wg::report {

/// Raised when a key is renamed or changes its meaning; additions do not count.
inline constexpr int kSchemaVersion = 1;

struct Saved {
  gpu::RunResult result;
  Settings settings;
};

/// One object, one line per kernel so that line tools work on it. Same result, same bytes; doubles come back
/// exactly. Keys of counters are their dictionary names, directly in each kernel and in `totals`.
std::string to_json(const gpu::RunResult& result, const Settings& settings);

/// What a text is, for messages: the command whose result it holds, other JSON, or no JSON and from which
/// byte on.
std::string kind_of_json(std::string_view text);

/// The inverse. `where` names the file in messages. Throws wg::Error when the text is no such object, is of
/// another schema version, or holds a counter that `dictionary` lacks.
Saved from_json(std::string_view text, const std::string& where,
                std::span<const CounterInfo* const> dictionary);

/// The dictionary as a JSON array of objects with name, unit, meaning and ncu.
std::string dictionary_json(std::span<const CounterInfo* const> dictionary);

/// Keys of a kernel and of `totals` that are not counters.
std::span<const std::string_view> fixed_keys();

}  // namespace wg::report
