// How replies leave a slice of the L2, alone or together.
#include <bit>

#include "mem/l2_slice.hpp"
#include "mem/partition.hpp"

namespace wg::mem {
namespace {

std::uint32_t data_sectors(const Reply& reply) {
  const bool data = is_read(reply.access) || reply.access == Access::atomic;
  return data ? static_cast<std::uint32_t>(std::popcount(reply.sectors)) : 0U;
}

}  // namespace

void L2Slice::send(std::uint64_t ready, Reply reply, ReplySink& sink, bool from_copy) {
  if (coalesce_ && is_read(reply.access) && join_reply(ready, reply, sink)) {
    return;
  }
  const std::uint64_t cycle = egress_.take(ready, header_ + data_sectors(reply) * sector_bytes_);
  if (coalesce_ && is_read(reply.access)) {
    leaving_[reply.line >> line_shift_ & (leaving_.size() - 1)] = {reply.line, cycle, reply.sectors,
                                                                   reply.level};
  }
  send_at(cycle, reply, sink, from_copy);
}

void L2Slice::send_at(std::uint64_t cycle, Reply reply, ReplySink& sink, bool from_copy) {
  counters_->l2_reply_sectors += data_sectors(reply);
  reply.arrival = cycle * period_.divisor() + send_delay_ps_ +
                  (is_far(reply.sm, reply.access) && !from_copy ? far_ps_ : 0);
  reply.sequence = sink.sequence++;
  reply.source = channel_;
  sink.out->push(reply.sm, reply);
}

/// Whether a reply with these sectors leaves after `cycle`; if so this one goes with it.
bool L2Slice::join_reply(std::uint64_t cycle, const Reply& reply, ReplySink& sink) {
  const Leaving& leaving = leaving_[reply.line >> line_shift_ & (leaving_.size() - 1)];
  if (leaving.line != reply.line || leaving.cycle <= cycle || (reply.sectors & ~leaving.sectors) != 0) {
    return false;
  }
  Reply shared = reply;
  shared.level = leaving.level;
  send_at(leaving.cycle, shared, sink, false);
  return true;
}

/// What leaves holds old data once the line is written.
void L2Slice::forget_reply(std::uint64_t line) {
  Leaving& leaving = leaving_[line >> line_shift_ & (leaving_.size() - 1)];
  if (leaving.line == line) {
    leaving.line = kNever;
  }
}

}  // namespace wg::mem
