// Accesses to managed memory: lines whose page is not on the device wait aside until the host replays them.
#include <algorithm>

#include "sm/lsu.hpp"

namespace wg::sm {

/// The view is asked for the cycle in which the instruction is taken up: what happens until a later line is
/// served may not be known yet.
bool LoadStoreUnit::serve_managed(const Entry& entry, const mem::LineAccess& line, std::uint64_t asked,
                                  std::uint64_t cycle) {
  const std::uint64_t now = clock_.to_ps(cycle);
  const std::uint64_t page = line.line >> mem::kPageShift;
  if (entry.local || !pages_.absent(page, clock_.to_ps(asked))) {
    if (!serve_line(entry.operation, line, cycle)) {
      return false;
    }
    if (!entry.local) {
      pages_.use(page, changes_memory(entry.kind), 0, now);
    }
    return true;
  }
  const bool known =
      !parked_.empty() && parked_.back().operation == entry.operation && waits(entry.operation, page);
  if (!known && !pages_.may_fault()) {
    blocked_by_ = Block::fault;
    held_.begin(cycle);
    return false;
  }
  counters_->faulted_instructions += operations_[entry.operation].faulted ? 0U : 1U;
  operations_[entry.operation].faulted = true;
  ++operations_[entry.operation].parked;
  park({.operation = entry.operation, .page = page, .since = cycle, .line = line}, cycle);
  return true;
}

bool LoadStoreUnit::waits(std::uint32_t operation, std::uint64_t page) const {
  for (auto at = parked_.rbegin(); at != parked_.rend() && at->operation == operation; ++at) {
    if (at->page == page) {
      return true;
    }
  }
  return false;
}

void LoadStoreUnit::park(Parked line, std::uint64_t cycle) {
  line.first = !waits(line.operation, line.page);
  if (line.first) {
    ++counters_->fault_entries;
    pages_.fault(line.page, changes_memory(operations_[line.operation].kind), clock_.to_ps(cycle));
  }
  parked_.push_back(line);
  waiting_.begin(cycle);
}

void LoadStoreUnit::replay(bool evicted, std::uint64_t cycle) {
  pages_.replay(evicted);
  if (evicted) {
    tags_.clear();
  }
  retry_.erase(retry_.begin(), retry_.begin() + static_cast<std::ptrdiff_t>(retry_head_));
  retry_head_ = 0;
  retry_.insert(retry_.end(), parked_.begin(), parked_.end());
  parked_.clear();
  count_blocked(cycle);
  blocked_ = false;
}

void LoadStoreUnit::serve_retries(std::uint64_t cycle, std::vector<Completion>& done) {
  const std::uint64_t now = clock_.to_ps(cycle);
  while (retry_head_ < retry_.size() && !blocked_ && free_ <= cycle) {
    const Parked line = retry_[retry_head_];
    Operation& operation = operations_[line.operation];
    if (pages_.absent(line.page, now)) {
      park(line, cycle);
    } else {
      if (!serve_line(line.operation, line.line, cycle)) {
        blocked_ = true;
        blocked_since_ = cycle;
        return;
      }
      pages_.use(line.page, changes_memory(operation.kind), line.first ? clock_.to_ps(cycle - line.since) : 0,
                 now);
      --operation.parked;
      if (operation.remaining == 0 && !operation.serving && operation.parked == 0) {
        finish(line.operation, done);
      }
    }
    ++retry_head_;
    ++counters_->lsu_busy_cycles;
    free_ = cycle + 1;
  }
  if (retry_head_ == retry_.size()) {
    retry_.clear();
    retry_head_ = 0;
    if (parked_.empty()) {
      waiting_.end(cycle);
    }
  }
}

}  // namespace wg::sm
