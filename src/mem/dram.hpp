// One DRAM channel with its controller: queues, FR-FCFS, banks, refresh, one data bus.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "config/machine.hpp"
#include "mem/divider.hpp"

namespace wg::mem {

struct PartitionCounters;

/// A command as it went to the banks; tests hold the timing rules against a log of these.
struct DramCommand {
  enum class Kind : std::uint8_t { activate, precharge, read, write, refresh };
  std::uint64_t clock = 0;  ///< DRAM clock
  Kind kind = Kind::read;
  std::uint16_t bank = 0;
  std::uint32_t row = 0;
};

/// Where a byte of the channel lives in its banks.
struct DramPlace {
  std::uint32_t bank = 0;  ///< bank % bank_groups is its group
  std::uint32_t row = 0;
};

/// Consecutive lines go to the bank groups in turn, then fill the rows, then go to the next banks; the bank
/// is rotated by a hash of the row number (permutation-based interleaving, Zhang, Zhu and Zhang, MICRO 2000),
/// so that strides of a power of two do not stay in one bank.
class DramMap {
 public:
  DramMap(const config::DramConfig& config, std::uint64_t line_bytes);
  [[nodiscard]] DramPlace place(std::uint64_t address) const;

 private:
  Divider line_;
  Divider groups_;
  Divider lines_per_row_;
  Divider banks_per_group_;
  std::uint32_t banks_;
};

/// In place of a slice: a read of the copy engine. Such reads take their time, but are not counted.
inline constexpr std::uint8_t kCopySlice = 0xFF;

/// Data that a read brought back.
struct DramReturn {
  std::uint64_t ready_ps = kNever;  ///< when the L2 has it; kNever = nothing
  std::uint32_t slot = 0;           ///< as given to read()
  std::uint8_t slice = 0;
  std::uint8_t sectors = 0;
};

/// What one step of the channel did for those who wait for it.
struct DramStep {
  DramReturn data;
  bool freed = false;  ///< a queue has a place more
};

/// Works in DRAM clocks, from event to event. Every sector (or burst, whichever is larger) is one entry of
/// the read or the write queue. Reads go first; writes drain from `write_high` down to `write_low`, or while
/// no read waits. Among the banks the oldest row hit that can go now goes; a bank without row hits works for
/// its oldest entry; after `age_cap` clocks row hits no longer pass the oldest entry of their bank. Command
/// slots of the command bus are not modelled beyond tRRD and tCCD. Refresh closes all banks.
class DramChannel {
 public:
  /// `counters` must live as long as the channel.
  DramChannel(const config::Machine& machine, PartitionCounters& counters);

  /// Whether `entries` more fit. An empty queue takes any number, so that one line always fits.
  [[nodiscard]] bool has_read_room(std::uint32_t entries) const {
    return kinds_[kRead].used == 0 || kinds_[kRead].used + entries <= read_capacity_;
  }
  [[nodiscard]] bool has_write_room(std::uint32_t entries) const {
    return kinds_[kWrite].used == 0 || kinds_[kWrite].used + entries <= write_capacity_;
  }
  /// Queue entries that a set of sectors of one line needs.
  [[nodiscard]] std::uint32_t entries(std::uint32_t sectors) const;
  /// `now` (ps) never goes back; `address` is the line's inside the channel.
  void read(std::uint64_t now, std::uint64_t address, std::uint32_t sectors, std::uint32_t slice,
            std::uint32_t slot);
  void write(std::uint64_t now, std::uint64_t address, std::uint32_t sectors);

  /// Time (ps) of the next step; kNever when both queues are empty.
  [[nodiscard]] std::uint64_t next_ps() const { return next_ps_; }
  /// Does what can be done at next_ps(): any precharges, at most one activate and one column access.
  DramStep step();

  /// Back to time 0; rows stay open unless `cold`. Queues must be empty.
  void reset(bool cold);
  void save(std::vector<std::uint8_t>& out) const;
  /// Returns the bytes consumed, 0 when they are not a state of this geometry.
  std::size_t load(std::span<const std::uint8_t> in);

  /// Appends every command to `log` from now on; nullptr stops it. For tests.
  void record(std::vector<DramCommand>* log) { log_ = log; }
  [[nodiscard]] const DramMap& map() const { return map_; }

 private:
  static constexpr std::size_t kRead = 0;
  static constexpr std::size_t kWrite = 1;
  static constexpr std::uint16_t kNone = 0xFFFF;
  static constexpr std::uint32_t kNoRow = ~std::uint32_t{0};
  static constexpr std::uint32_t kMaxBanks = 64;

  struct Entry {
    std::uint64_t order = 0;    ///< age
    std::uint64_t arrival = 0;  ///< DRAM clock
    std::uint32_t row = 0;
    std::uint32_t slot = 0;
    std::uint16_t next = kNone;
    std::uint16_t previous = kNone;
    std::uint8_t slice = 0;
    std::uint8_t sectors = 0;
  };
  /// A bank's entries of one kind, oldest first, and the oldest that hits the open row.
  struct List {
    std::uint16_t head = kNone;
    std::uint16_t tail = kNone;
    std::uint16_t hit = kNone;
  };
  struct Kind {
    std::array<List, kMaxBanks> lists{};
    std::uint64_t waiting = 0;  ///< bit per bank with entries
    std::uint64_t hits = 0;     ///< bit per bank with a row hit
    std::uint32_t used = 0;     ///< entries in all
    std::uint64_t gate = 0;     ///< earliest clock of the next column command of this kind
  };
  struct Bank {
    std::uint64_t column_ready = 0;
    std::uint64_t precharge_ready = 0;
    std::uint64_t activate_ready = 0;
    std::uint32_t row = kNoRow;
    bool fresh = false;     ///< activated, no column access yet
    bool conflict = false;  ///< that activate had to close another row
  };

  void enqueue(std::size_t kind, std::uint64_t now, std::uint64_t address, std::uint32_t sectors,
               std::uint32_t slice, std::uint32_t slot);
  Entry& append(Kind& kind, const DramPlace& place);
  void remove(Kind& kind, std::uint32_t bank, std::uint16_t index);
  void find_hits(std::uint32_t bank);
  void refresh(std::uint64_t now);
  void choose_kind(std::uint64_t clock);
  void expect_command(std::uint32_t bank, std::uint64_t clock);
  [[nodiscard]] bool passed_too_long(const List& list, std::uint64_t now) const;
  std::uint32_t oldest_hit(std::uint64_t now);
  void row_commands(std::uint64_t now);
  void activate(std::uint32_t bank, std::uint64_t now);
  void precharge(std::uint32_t bank, std::uint64_t now);
  void column_command(std::uint64_t now, DramStep& step);
  void access(std::uint32_t bank, std::uint64_t now, DramStep& step);
  /// One access to `bank`; `latency` of a read in DRAM clocks.
  void count(const Bank& bank, std::uint64_t latency);
  void wake();
  [[nodiscard]] std::uint64_t row_ready(const Bank& bank) const {
    return bank.row != kNoRow ? bank.precharge_ready : std::max(bank.activate_ready, activate_gate_);
  }
  [[nodiscard]] std::uint64_t column_ready(const Kind& kind, std::uint32_t bank) const {
    return std::max({banks_[bank].column_ready, group_ready_[group_of_[bank]], kind.gate});
  }
  void log(DramCommand::Kind kind, std::uint64_t clock, std::uint32_t bank, std::uint32_t row) const;

  config::DramConfig config_;
  DramMap map_;
  Divider period_;
  PartitionCounters* counters_;
  std::vector<DramCommand>* log_ = nullptr;
  std::uint32_t unit_bytes_;        ///< of one entry
  std::uint32_t sectors_per_unit_;  ///< of one entry
  std::uint32_t data_clocks_;       ///< data bus, one entry
  std::uint32_t same_group_;        ///< clocks between column commands of entries, same bank group
  std::uint32_t other_group_;       ///< and of different ones
  std::uint32_t read_capacity_;
  std::uint32_t write_capacity_;
  std::uint32_t write_high_;

  std::vector<Entry> entries_;
  std::uint16_t free_ = kNone;
  std::array<Kind, 2> kinds_{};
  std::array<Bank, kMaxBanks> banks_{};
  std::array<std::uint64_t, kMaxBanks> group_ready_{};
  std::array<std::uint8_t, kMaxBanks> group_of_{};
  std::uint64_t activate_gate_ = 0;
  std::array<std::uint64_t, 4> activates_{};  ///< earliest clock at which the last four leave the tFAW window
  std::uint32_t oldest_activate_ = 0;
  std::uint64_t refresh_at_ = kNever;
  std::uint64_t order_ = 0;
  bool draining_ = false;
  std::size_t kind_ = kRead;          ///< which queue is being served
  std::uint64_t too_long_ = 0;        ///< banks that must turn to their oldest entry
  std::uint64_t row_at_ = kNever;     ///< earliest clock at which a precharge or activate may be possible
  std::uint64_t column_at_ = kNever;  ///< the same for a read or write
  std::uint64_t next_ = kNever;       ///< DRAM clock
  std::uint64_t next_ps_ = kNever;
};

}  // namespace wg::mem
