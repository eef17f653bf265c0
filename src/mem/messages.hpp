// What travels over the crossbar. Plain values; times are picoseconds since the kernel began.
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

namespace wg::mem {

enum class Access : std::uint8_t { load, store, atomic, reduction, instruction, count_ };
inline constexpr std::size_t kAccesses = static_cast<std::size_t>(Access::count_);

/// Where data was found.
enum class Level : std::uint8_t { l1, l2, dram };

/// SM -> L2 slice: up to one 128-byte line, its sectors as a bit mask (bit i = bytes 32i..32i+31).
struct Request {
  std::uint64_t arrival = 0;   ///< ps, when its last byte is through the SM's crossbar port and the wires
  std::uint64_t line = 0;      ///< byte address of the line (multiple of the line size)
  std::uint32_t sequence = 0;  ///< counts the sender's messages
  std::uint32_t token = 0;     ///< the sender's own handle, returned in the reply
  std::uint32_t tag = 0;       ///< task or item id of whoever asked; 0 = none
  std::uint16_t source = 0;    ///< SM
  std::uint16_t bytes = 0;     ///< payload in the packet (stores and atomics), for port bandwidth
  Access access = Access::load;
  std::uint8_t sectors = 0;       ///< sectors wanted or written
  std::uint8_t full_sectors = 0;  ///< stores: sectors whose 32 bytes are all written
  std::uint8_t operations = 0;    ///< atomics: lanes' operations in this packet, 1..32
  std::uint8_t same_address = 0;  ///< atomics: most operations on one address, 1..32
};

/// L2 slice -> SM. Every request gets its sectors answered exactly once, in one reply or several (hits before
/// misses). Stores get one reply without data (an acknowledgement).
struct Reply {
  std::uint64_t arrival = 0;  ///< ps, when the wires deliver it at the SM's port
  std::uint64_t line = 0;
  std::uint32_t sequence = 0;  ///< counts the sending partition's messages
  std::uint32_t token = 0;
  std::uint16_t source = 0;  ///< partition (memory channel)
  std::uint16_t sm = 0;      ///< receiver
  Access access = Access::load;
  std::uint8_t sectors = 0;  ///< sectors answered by this reply
  Level level = Level::l2;   ///< deepest level it had to go to
};

/// The order in which a receiver takes messages, whatever the number of threads.
template <class Message>
bool earlier(const Message& a, const Message& b) {
  return std::tie(a.arrival, a.source, a.sequence) < std::tie(b.arrival, b.source, b.sequence);
}

}  // namespace wg::mem
