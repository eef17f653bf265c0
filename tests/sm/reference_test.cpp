// The SM against the naive one of reference.hpp on random small kernels and machines: everything that can be
// seen from outside must be the same, cycle by cycle.
#include "reference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "random_case.hpp"

namespace wg::sm::test {
namespace {

std::string text(const mem::Request& r) {
  const bool store = r.access == mem::Access::store;
  const bool atomic = r.access == mem::Access::atomic || r.access == mem::Access::reduction;
  return fmt::format("{} ps #{} line {:x} access {} sectors {:x} full {:x} ops {} same {} bytes {}",
                     r.arrival, r.sequence, r.line, static_cast<int>(r.access), r.sectors,
                     store ? r.full_sectors : 0, atomic ? r.operations : 0, atomic ? r.same_address : 0,
                     r.bytes);
}

std::string text(const Finished& d) {
  return fmt::format("CTA {} cycle {} arrival {} #{}", d.cta, d.cycle, d.arrival_ps, d.sequence);
}

template <class T>
std::string first_difference(const char* what, const std::vector<T>& fast, const std::vector<T>& naive) {
  for (std::size_t i = 0; i < std::max(fast.size(), naive.size()); ++i) {
    const std::string a = i < fast.size() ? text(fast[i]) : "nothing";
    const std::string b = i < naive.size() ? text(naive[i]) : "nothing";
    if (a != b) {
      return fmt::format("{} {}: {} but naive {}\n", what, i, a, b);
    }
  }
  return "";
}

std::string differences(const SmCounters& fast, const SmCounters& naive) {
  std::string out;
  const auto compare = [&out](std::string_view name, std::uint64_t a, std::uint64_t b) {
    if (a != b) {
      out += fmt::format("{}: {} but naive {}\n", name, a, b);
    }
  };
  for (const auto& field : SmCounters::fields()) {
    compare(field.info.name, fast.*field.member, naive.*field.member);
  }
  for (std::size_t i = 0; i < config::kPipes; ++i) {
    compare(pipe_info(static_cast<config::Pipe>(i)).name, fast.pipe_busy[i], naive.pipe_busy[i]);
  }
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    compare(class_info(static_cast<isa::InstClass>(i)).name, fast.classes[i], naive.classes[i]);
  }
  for (std::size_t i = 0; i < kStalls; ++i) {
    compare(slot_info(static_cast<Stall>(i)).name, fast.slots[i], naive.slots[i]);
  }
  return out;
}

std::string differences(const std::vector<InstProfile>& fast, const std::vector<InstProfile>& naive) {
  std::string out = fast.size() == naive.size() ? "" : "profiles of different length\n";
  for (std::size_t i = 0; i < std::min(fast.size(), naive.size()); ++i) {
    if (fast[i].issues != naive[i].issues || fast[i].threads != naive[i].threads) {
      out += fmt::format("instruction {}: {} issues but naive {}\n", i, fast[i].issues, naive[i].issues);
    }
    for (std::size_t s = 0; s < kStalls; ++s) {
      if (fast[i].stalls[s] != naive[i].stalls[s]) {
        out += fmt::format("instruction {} {}: {} but naive {}\n", i, name_of(static_cast<Stall>(s)),
                           fast[i].stalls[s], naive[i].stalls[s]);
      }
    }
  }
  return out;
}

std::string differences(const Outcome& fast, const Outcome& naive) {
  std::string out = first_difference("request", fast.requests, naive.requests) +
                    first_difference("done", fast.done, naive.done) +
                    differences(fast.counters, naive.counters) + differences(fast.profile, naive.profile);
  if (fast.last_activity != naive.last_activity) {
    out += fmt::format("last activity {} but naive {}\n", fast.last_activity, naive.last_activity);
  }
  if (fast.stuck.size() != naive.stuck.size()) {
    out += fmt::format("{} stuck but naive {}\n", fast.stuck.size(), naive.stuck.size());
  }
  return out;
}

/// Slots of all sub-cores over all cycles are either issued or have one reason.
std::uint64_t slots_of(const Outcome& outcome) {
  std::uint64_t sum = outcome.counters.warp_instructions;
  for (const std::uint64_t slots : outcome.counters.slots) {
    sum += slots;
  }
  return sum;
}

void compare_seeds(std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomCase c = random_case(seed);
    const Outcome fast = run_bench(c.machine, c.code, c.options);
    const Outcome naive = run_naive(c.machine, c.code, c.options, fast.cycles + 1'000'000);
    ASSERT_EQ(differences(fast, naive), "") << "seed " << seed;
    ASSERT_TRUE(fast.idle) << "seed " << seed;
    ASSERT_EQ(fast.counters.warp_instructions, c.code.warp_instructions()) << "seed " << seed;
    ASSERT_EQ(fast.counters.sectors_requested, fast.counters.sectors_answered) << "seed " << seed;
    ASSERT_EQ(slots_of(fast), fast.cycles * c.machine.sm.subcores) << "seed " << seed;
  }
}

TEST(Reference, AgreesOnRandomKernelsA) { compare_seeds(1, 500); }
TEST(Reference, AgreesOnRandomKernelsB) { compare_seeds(100'000, 500); }
TEST(Reference, AgreesOnRandomKernelsC) { compare_seeds(200'000, 500); }
TEST(Reference, AgreesOnRandomKernelsD) { compare_seeds(300'000, 500); }

TEST(Reference, AgreesWhenStoppedInTheMiddle) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomCase c = random_case(seed);
    c.options.stop_cycle = 20 + seed * 3;
    const Outcome fast = run_bench(c.machine, c.code, c.options);
    const Outcome naive = run_naive(c.machine, c.code, c.options, 0);
    ASSERT_EQ(differences(fast, naive), "") << "seed " << seed;
    ASSERT_EQ(slots_of(fast), c.options.stop_cycle * c.machine.sm.subcores) << "seed " << seed;
  }
}

TEST(Reference, AgreesOnKernelsThatHang) {
  std::size_t hung = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    RandomCase c = random_case(seed, true);
    hung += run_bench(c.machine, c.code, c.options).stuck.empty() ? 0U : 1U;
    c.options.stop_cycle = 8'000;
    const Outcome fast = run_bench(c.machine, c.code, c.options);
    const Outcome naive = run_naive(c.machine, c.code, c.options, 0);
    ASSERT_EQ(differences(fast, naive), "") << "seed " << seed;
  }
  EXPECT_GT(hung, 10U);
}

}  // namespace
}  // namespace wg::sm::test
