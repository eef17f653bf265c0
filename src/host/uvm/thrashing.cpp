#include "host/uvm/thrashing.hpp"

namespace wg::host::uvm {

bool Thrashing::marked(const State& state, std::uint64_t now_ps) const {
  const bool rested = now_ps > state.last_ps + lapse() * config_.thrash_pin_lapses;
  return state.events >= config_.thrash_events && (!rested || now_ps < state.pinned_ps);
}

void Thrashing::moved(std::uint64_t page, bool to_cpu, std::uint64_t now_ps) {
  const auto at = pages_.find(page);
  if (!config_.thrashing || (at == pages_.end() && !to_cpu)) {
    return;
  }
  State& state = pages_[page];
  if (now_ps > state.last_ps + lapse() && !marked(state, now_ps)) {
    state.events = 0;
    state.throttles = 0;
  }
  ++state.events;
  state.last_ps = now_ps;
}

Thrashing::Hint Thrashing::hint(std::uint64_t page, std::uint64_t now_ps) {
  const auto at = pages_.find(page);
  if (at == pages_.end() || !marked(at->second, now_ps)) {
    return Hint::none;
  }
  State& state = at->second;
  if (now_ps < state.pinned_ps) {
    return Hint::pin;
  }
  if (now_ps < state.nap_ps) {
    return Hint::throttle;
  }
  if (state.throttles < config_.thrash_throttles) {
    ++state.throttles;
    state.nap_ps = now_ps + lapse();
    return Hint::throttle;
  }
  state.throttles = 0;
  state.pinned_ps = now_ps + lapse() * config_.thrash_pin_lapses;
  return Hint::pin;
}

bool Thrashing::marked(std::uint64_t page, std::uint64_t now_ps) const {
  const auto at = pages_.find(page);
  return at != pages_.end() && marked(at->second, now_ps);
}

std::uint64_t Thrashing::nap_end(std::uint64_t page) const {
  const auto at = pages_.find(page);
  return at == pages_.end() ? 0 : at->second.nap_ps;
}

}  // namespace wg::host::uvm
