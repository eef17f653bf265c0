// Keeps the results of a run while it goes on, so that a kill, a deadlock or Ctrl-C costs at most one kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpu/result.hpp"
#include "report/settings.hpp"
#include "report/state.hpp"

namespace wg::report {

class Keeper {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  /// `json_path` empty: keeps in memory only. `version`, `command`, time and memory used since now are
  /// stamped on every result.
  Keeper(
      std::string json_path, Settings settings, std::string version, std::string command,
      std::chrono::seconds interval = std::chrono::seconds{10},
      Now now = [] { return std::chrono::steady_clock::now(); });

  /// Begins with what an earlier run left, so that stopping at once loses nothing.
  void begin_from(const gpu::Resume& resume);
  /// Takes what is finished so far with the state behind it, as gpu::RunOptions::checkpoint gives them. Costs
  /// as much as the new kernels; writes both files when `interval` has passed since the last write.
  void take(const gpu::RunResult& result, std::span<const std::uint8_t> state);

  /// The run came to its end: writes the stamped result, and the state beside it unless the result is
  /// complete.
  void finish(const gpu::RunResult& result);
  /// What only the caller of the simulator knows: version, command, seconds (of earlier parts of the run
  /// too), memory.
  void stamp(gpu::RunResult& result) const;
  /// Seconds that the run has taken, those before it was resumed included.
  [[nodiscard]] double seconds() const;
  /// What was taken so far, as the result of a run that failed by `reason` ("deadlock", "error").
  [[nodiscard]] gpu::RunResult finished(const std::string& reason) const;

 private:
  void keep(const gpu::RunResult& result, std::span<const std::uint8_t> state);
  void write(const gpu::RunResult& result, bool with_state);

  std::string path_;
  Settings settings_;
  std::string version_;
  std::string command_;
  std::chrono::seconds interval_;
  Now now_;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_write_;
  double earlier_wall_ = 0;
  double earlier_cpu_ = 0;
  gpu::RunResult kept_;
  State state_;
};

}  // namespace wg::report
