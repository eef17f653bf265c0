// --set key=value
#include "base/rng.hpp"
#include "config/support.hpp"

namespace wg::config::test {
namespace {

Machine v100() { return load_machine("v100", {}, directories()); }

std::string refused(Machine& machine, std::string_view assignment) {
  const std::uint64_t before = machine_hash(machine);
  try {
    apply_override(machine, assignment);
  } catch (const Error& error) {
    EXPECT_EQ(machine_hash(machine), before);
    return error.what();
  }
  ADD_FAILURE() << assignment << " was taken";
  return {};
}

TEST(Override, SetsEveryKindOfValue) {
  Machine machine = v100();
  apply_override(machine, "l2.size=64MiB");
  apply_override(machine, " l1.latency = 30 ");
  apply_override(machine, "clock.sm=1.38 GHz");
  apply_override(machine, "icache.enabled=false");
  apply_override(machine, "sm.scheduler=lrr");
  apply_override(machine, "title=\"A #1 GPU\"");
  apply_override(machine, "sm.class.fp32.pipe=alu");
  apply_override(machine, "link.latency=2.5us");
  EXPECT_EQ(machine.l2.size.count(), 64U << 20);
  EXPECT_EQ(machine.l1.latency, 30U);
  EXPECT_EQ(machine.clock.sm.count(), 1'380'000'000U);
  EXPECT_FALSE(machine.icache.enabled);
  EXPECT_EQ(machine.sm.scheduler, "lrr");
  EXPECT_EQ(machine.title, "A #1 GPU");
  EXPECT_EQ(machine.timing(isa::InstClass::fp32).pipe, Pipe::alu);
  EXPECT_EQ(machine.link.latency_ns, 2500U);
}

TEST(Override, IsReportedAsTheOption) {
  Machine machine = v100();
  EXPECT_EQ(refused(machine, "l2.sise=1"),
            "--set l2.sise: expected a key of a machine, found \"l2.sise\" (did you mean \"l2.size\"?)");
  EXPECT_EQ(
      refused(machine, "l2.ways=many"),
      "--set l2.ways: expected l2.ways as a whole number from 1 to 64, found many (it does not begin with a "
      "number)");
  EXPECT_EQ(refused(machine, "l2.ways=65"),
            "--set l2.ways: expected l2.ways as a whole number from 1 to 64, found 65");
  EXPECT_EQ(refused(machine, "l1.enabled=yes"),
            "--set l1.enabled: expected l1.enabled as true or false, found yes");
  EXPECT_EQ(refused(machine, "l2.size"),
            "--set l2.size: expected key=value, e.g. l2.size=64MiB, found \"l2.size\"");
  EXPECT_EQ(refused(machine, "l2.size=1000KiB"),
            "--set l2.size: expected l2.size a multiple of dram.channels x l2.slices_per_channel x l2.ways x "
            "l2.line, found 1000 KiB over 64 slices with 16 ways of 128 B");
  for (const char* odd : {"", "=", "=3", "inherits=a100", "l2.ways=", "title=\x01", "title=", "sm=3"}) {
    EXPECT_NE(refused(machine, odd), "") << odd;
  }
}

TEST(Override, AnInstructionLineIsWhatTheL2CanDeliver) {
  Machine machine = v100();
  EXPECT_EQ(refused(machine, "icache.line=16"),
            "--set icache.line: expected icache.line of one to eight l2.sector, as the L2 delivers it, found "
            "a line "
            "of 16 B with sectors of 32 B");
  refused(machine, "icache.line=512");
  apply_override(machine, "icache.line=256");
  EXPECT_EQ(machine.icache.line.count(), 256U);
}

TEST(Override, IsCheckedAfterAllOfThem) {
  const std::vector<std::string> together{"dram.channels=7", "l2.size=7MiB"};
  const Machine machine = load_machine("v100", together, directories());
  EXPECT_EQ(machine.slices(), 7U);
  EXPECT_EQ(problems_of("v100", {"dram.channels=7"}).size(), 1U);
  EXPECT_EQ(problems_of("v100", {"dram.channels=7"})[0].where, "--set dram.channels");
}

TEST(Override, WinsOverTheFileAndTheLastOneWins) {
  const std::vector<std::string> twice{"sm.count=3", "sm.count=5"};
  const LoadedMachine loaded = load("v100", twice, directories());
  EXPECT_EQ(loaded.machine.sm.count, 5U);
  EXPECT_EQ(loaded.origins[find_field("sm.count")].where, "--set sm.count");
}

TEST(Override, CannotCrashOnAnyText) {
  Rng rng(11);
  const std::string alphabet = "sml12.=\"'# \t\n-_+kKiMBGHz/0459[]{}e\\";
  Machine machine = v100();
  for (int i = 0; i < 20000; ++i) {
    std::string text = rng.below(3) == 0 ? "" : fields()[rng.below(fields().size())].key + "=";
    for (std::uint64_t n = rng.below(12); n > 0; --n) {
      text += alphabet[rng.below(alphabet.size())];
    }
    try {
      apply_override(machine, text);
      check_machine(machine);
    } catch (const Error&) {
    }
  }
  EXPECT_NO_THROW(check_machine(machine));
}

}  // namespace
}  // namespace wg::config::test
