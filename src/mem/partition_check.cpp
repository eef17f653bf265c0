#include <fmt/format.h>

#include <bit>

#include "base/error.hpp"
#include "mem/partition_state.hpp"

namespace wg::mem {
namespace {

/// Collects what is wrong, so that all of it is reported at once.
class Checker {
 public:
  void require(bool right, const char* field, std::string expected, std::uint64_t found) {
    if (!right) {
      problems_.push_back(
          {.where = field, .expected = std::move(expected), .found = fmt::format("{}", found), .advice = {}});
    }
  }
  void range(const char* field, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    require(value >= low && value <= high, field, fmt::format("{}..{}", low, high), value);
  }
  void finish() {
    if (!problems_.empty()) {
      throw Error(std::move(problems_));
    }
  }
  [[nodiscard]] bool ok() const { return problems_.empty(); }

 private:
  std::vector<Problem> problems_;
};

void check_l2(const config::Machine& machine, Checker& checker) {
  const config::L2Config& l2 = machine.l2;
  const std::uint64_t line = l2.line.count();
  const std::uint64_t sector = l2.sector.count();
  checker.require(std::has_single_bit(line), "l2.line", "a power of two", line);
  checker.require(std::has_single_bit(sector) && sector <= line && line / sector <= 4, "l2.sector",
                  "a power of two, 1 to 4 to the line", sector);
  checker.range("l2.ways", l2.ways, 1, 64);
  checker.range("l2.mshrs", l2.mshrs, 1, 65535);
  checker.range("l2.slices_per_channel", l2.slices_per_channel, 1, 255);
  checker.range("l2.sectors_per_cycle", l2.sectors_per_cycle, 1, 1024);
  checker.range("l2.partitions", l2.partitions, 1, 2);
  checker.range("xbar.slice_receive", machine.xbar.slice_receive, 1, 65536);
  checker.range("xbar.slice_send", machine.xbar.slice_send, 1, 65536);
  checker.require(l2.interleave.count() != 0 && l2.interleave.count() % line == 0, "l2.interleave",
                  fmt::format("a multiple of l2.line ({})", line), l2.interleave.count());
  const std::uint64_t least = std::uint64_t{machine.slices()} * l2.ways * line;
  checker.require(l2.size.count() >= least, "l2.size",
                  fmt::format("at least one set per slice ({} bytes)", least), l2.size.count());
}

void check_dram(const config::Machine& machine, Checker& checker) {
  const config::DramConfig& dram = machine.dram;
  checker.range("dram.channels", dram.channels, 1, 65535);
  checker.range("dram.banks", dram.banks, 1, 64);
  checker.require(dram.bank_groups != 0 && dram.banks % dram.bank_groups == 0, "dram.bank_groups",
                  fmt::format("a divisor of dram.banks ({})", dram.banks), dram.bank_groups);
  checker.range("dram.bus", dram.bus.count(), 1, 65536);
  checker.require(std::has_single_bit(dram.burst.count()), "dram.burst", "a power of two",
                  dram.burst.count());
  checker.require(
      dram.row.count() >= machine.l2.line.count() && dram.row.count() % machine.l2.line.count() == 0,
      "dram.row", fmt::format("a multiple of l2.line ({})", machine.l2.line.count()), dram.row.count());
  checker.range("dram.queue", dram.queue, 1, 16384);
  checker.range("dram.write_queue", dram.write_queue, 1, 16384);
  checker.require(dram.write_low < dram.write_high, "dram.write_low",
                  fmt::format("below dram.write_high ({})", dram.write_high), dram.write_low);
  checker.require(dram.tREFI == 0 || dram.tREFI > dram.tRFC + dram.tRP + dram.tRAS, "dram.tREFI",
                  "0, or more than tRFC + tRP + tRAS", dram.tREFI);
}

}  // namespace

void check_partition(const config::Machine& machine) {
  Checker checker;
  check_l2(machine, checker);
  check_dram(machine, checker);
  checker.finish();
}

}  // namespace wg::mem
