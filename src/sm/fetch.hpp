// Instruction supply: an L0 cache per sub-core with a stream prefetcher, an L1 per SM, then the L2.
#pragma once

#include <cstdint>
#include <vector>

#include "config/machine.hpp"
#include "mem/l1_cache.hpp"
#include "sm/counters.hpp"
#include "sm/port.hpp"

namespace wg::sm {

class FetchUnit {
 public:
  FetchUnit(const config::Machine& machine, Port& port, SmCounters& counters);

  /// Empties the caches. `code` is where the kernel's instruction 0 lies in device memory.
  void begin_kernel(std::uint64_t code);
  /// `warp` on `subcore` moves to the line of `pc` in `cycle`. Returns the cycle from which its instructions
  /// are there, or kNever: then reply() will name the warp.
  std::uint64_t access(std::uint32_t subcore, std::uint32_t warp, std::uint64_t pc, std::uint64_t cycle);
  /// A reply to an instruction request came through the port. Returns the warps (bit mask) whose line is now
  /// complete; they may issue from `cycle` + 1 on.
  std::uint64_t reply(const mem::Reply& reply, std::uint64_t cycle);
  [[nodiscard]] std::uint64_t line_of(std::uint64_t pc) const { return pc / line_; }
  [[nodiscard]] bool idle() const { return pending_.empty(); }

 private:
  struct L0Line {
    std::uint64_t line = kNever;  ///< line number
    std::uint64_t ready = 0;      ///< cycle; kNever while on its way from the L2
    std::uint32_t used = 0;
  };
  struct Pending {
    std::uint64_t line = 0;
    std::uint64_t warps = 0;
    std::uint32_t subcores = 0;
    std::uint8_t missing = 0;  ///< sectors not here yet
  };
  L0Line* find(std::uint32_t subcore, std::uint64_t line);
  L0Line& request(std::uint32_t subcore, std::uint64_t line, std::uint64_t cycle, std::uint64_t delay);

  const config::Machine* machine_;
  Clock clock_;
  Port* port_;
  SmCounters* counters_;
  std::uint64_t line_;
  std::uint8_t all_sectors_;
  std::uint32_t sets_;
  std::uint32_t ways_;
  std::uint64_t code_ = 0;
  std::uint32_t clock_tick_ = 0;
  std::vector<L0Line> l0_;  ///< subcore-major, then set, then way
  mem::SectorTags l1_;
  std::vector<Pending> pending_;
};

}  // namespace wg::sm
