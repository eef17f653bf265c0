#include "report/keeper.hpp"

#include <sys/resource.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "report/files.hpp"
#include "report/json.hpp"

namespace wg::report {
namespace {

/// Appends the rows that `kept` does not have yet: rows once finished never change.
template <class Row>
void append_new(std::vector<Row>& kept, const std::vector<Row>& all) {
  for (std::size_t i = kept.size(); i < all.size(); ++i) {
    kept.push_back(all[i]);
  }
}

/// Everything but the growing lists.
void copy_head(gpu::RunResult& to, const gpu::RunResult& from) {
  to.gpu = from.gpu;
  to.machine_hash = from.machine_hash;
  to.workload = from.workload;
  to.workload_hash = from.workload_hash;
  to.threads = from.threads;
  to.clock_hz = from.clock_hz;
  to.totals = from.totals;
  to.uvm = from.uvm;
  to.slots = from.slots;
  to.issue_slots = from.issue_slots;
  to.issued_slots = from.issued_slots;
  to.warnings = from.warnings;
}

}  // namespace

Keeper::Keeper(std::string json_path, Settings settings, std::string version, std::string command,
               std::chrono::seconds interval, Now now)
    : path_(std::move(json_path)),
      settings_(std::move(settings)),
      version_(std::move(version)),
      command_(std::move(command)),
      interval_(interval),
      now_(std::move(now)),
      start_(now_()),
      last_write_(start_) {
  kept_.complete = false;
}

void Keeper::stamp(gpu::RunResult& result) const {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds_of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  result.version = version_;
  result.command = command_;
  result.wall_seconds = seconds();
  result.cpu_seconds = earlier_cpu_ + seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  result.peak_rss_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
}

double Keeper::seconds() const {
  return earlier_wall_ + std::chrono::duration<double>(now_() - start_).count();
}

void Keeper::write(const gpu::RunResult& result, bool with_state) {
  if (path_.empty()) {
    return;
  }
  // The state last: when a kill falls between the two, results are newer than the state, which resuming
  // handles.
  write_file(path_, to_json(result, settings_));
  if (with_state) {
    write_file(state_path(path_), pack_state(state_));
  } else {
    std::error_code ignored;
    std::filesystem::remove(state_path(path_), ignored);
  }
  last_write_ = now_();
}

void Keeper::take(const gpu::RunResult& result, std::span<const std::uint8_t> state) {
  keep(result, state);
  if (now_() - last_write_ >= interval_) {
    stamp(kept_);
    write(kept_, true);
  }
}

void Keeper::begin_from(const gpu::Resume& resume) {
  keep(resume.finished, resume.state);
  earlier_wall_ = resume.finished.wall_seconds;
  earlier_cpu_ = resume.finished.cpu_seconds;
}

void Keeper::keep(const gpu::RunResult& result, std::span<const std::uint8_t> state) {
  copy_head(kept_, result);
  append_new(kept_.kernels, result.kernels);
  append_new(kept_.copies, result.copies);
  kept_.stopped_by = "running";
  state_.kernels = result.kernels.size();
  state_.copies = result.copies.size();
  state_.machine_hash = result.machine_hash;
  state_.workload_hash = result.workload_hash;
  state_.bytes.assign(state.begin(), state.end());
}

void Keeper::finish(const gpu::RunResult& result) { write(result, !result.complete && state_.kernels > 0); }

gpu::RunResult Keeper::finished(const std::string& reason) const {
  gpu::RunResult result = kept_;
  result.stopped_by = reason;
  return result;
}

}  // namespace wg::report
