// The SM's door to the crossbar: one bandwidth server each way.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "config/machine.hpp"
#include "mem/messages.hpp"
#include "mem/outbox.hpp"
#include "mem/partition.hpp"

namespace wg::sm {

class Port {
 public:
  Port(const config::Machine& machine, std::uint32_t sm, const mem::AddressMap& map);

  void begin_kernel();
  /// Where requests go from now on; set at the start of every epoch.
  void connect(mem::Outbox<mem::Request>& out) { out_ = &out; }
  /// Sends a packet that is ready at `now_ps`. Fills in source, sequence and arrival.
  void send(mem::Request request, std::uint64_t now_ps);

  /// Replies sent in the previous epoch, any order.
  void deliver(std::span<const mem::Reply> replies);
  /// Next reply whose last byte is in by the start of `cycle`, or nullptr. Valid until the next call.
  const mem::Reply* receive(std::uint64_t cycle);
  /// SM cycle in which receive() may have something; kNever when nothing is on its way in.
  [[nodiscard]] std::uint64_t next_cycle() const;

  [[nodiscard]] std::uint64_t packets_sent() const { return packets_; }
  [[nodiscard]] std::uint64_t bytes_sent() const { return sent_bytes_; }
  [[nodiscard]] std::uint64_t packets_received() const { return received_packets_; }
  [[nodiscard]] std::uint64_t bytes_received() const { return received_bytes_; }

 private:
  struct Arrived {
    std::uint64_t cycle = 0;
    mem::Reply reply;
  };

  const mem::AddressMap* map_;
  Clock sm_clock_;
  std::uint64_t l2_period_;
  std::uint64_t wire_ps_;
  std::uint64_t sector_;
  std::uint32_t send_width_;
  std::uint32_t receive_width_;
  std::uint32_t header_;
  std::uint16_t sm_;
  std::uint32_t sequence_ = 0;
  std::uint64_t send_free_ = 0;
  std::uint64_t receive_free_ = 0;
  mem::Outbox<mem::Request>* out_ = nullptr;
  std::vector<mem::Reply> pending_;  ///< sorted by (arrival, source, sequence) from head_ on
  std::size_t head_ = 0;
  std::deque<Arrived> arrived_;  ///< through the port, in order
  mem::Reply current_;
  std::uint64_t packets_ = 0, sent_bytes_ = 0, received_packets_ = 0, received_bytes_ = 0;
};

}  // namespace wg::sm
