// The two-length measurement counts exactly the instructions that the longer run adds.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/error.hpp"
#include "kernels/walk.hpp"

namespace wg::kernels {
namespace {

/// Records of the grid by mnemonic.
std::map<std::string, std::uint64_t> records(const std::string& uri, std::uint32_t sm) {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& kernel : testing::kernels_of(open_builder(uri, sm))) {
    testing::for_each_cta(*kernel, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
      for (const trace::DynInst& inst : cta.insts) {
        ++counts[std::string(decoder.mnemonic(inst.inst))];
      }
    });
  }
  return counts;
}

std::uint64_t added(const std::string& uri, const std::string& mnemonic, std::uint32_t sm = 80) {
  const MeasurePair pair = measure_pair(uri).value();
  return records(pair.longer, sm)[mnemonic] - records(pair.shorter, sm)[mnemonic];
}

TEST(Measure, StepsAreTheInstructionsThatTheLongerRunAdds) {
  const auto steps = [](const std::string& uri) { return measure_pair(uri).value().steps; };
  EXPECT_EQ(steps("kernel:chain"), added("kernel:chain", "FFMA"));
  EXPECT_EQ(steps("kernel:chain?op=MUFU&unroll=10"), added("kernel:chain?op=MUFU&unroll=10", "MUFU.RCP"));
  EXPECT_EQ(steps("kernel:throughput?ctas=3&warps=5"), added("kernel:throughput?ctas=3&warps=5", "FFMA"));
  EXPECT_EQ(steps("kernel:chase?level=l1"), added("kernel:chase?level=l1", "LDG.E.64"));
  EXPECT_EQ(steps("kernel:shared-latency"), added("kernel:shared-latency", "LDS"));
  EXPECT_EQ(steps("kernel:barrier?warps=1"), added("kernel:barrier?warps=1", "BAR.SYNC"));
  EXPECT_EQ(steps("kernel:icache?instructions=100"), added("kernel:icache?instructions=100", "FFMA"));
  EXPECT_EQ(steps("kernel:constant"), added("kernel:constant", "LDC"));
  EXPECT_EQ(steps("kernel:atomic"), added("kernel:atomic", "ATOMG.E.ADD.STRONG.GPU"));
  EXPECT_EQ(steps("kernel:bandwidth?ctas=4&width=8"),
            added("kernel:bandwidth?ctas=4&width=8", "LDG.E.64") * 32 * 8);
  EXPECT_EQ(steps("kernel:shared-bandwidth?width=16"),
            added("kernel:shared-bandwidth?width=16", "LDS.128") * 32 * 16);
}

TEST(Measure, ValueIsTheSlopeOrItsInverse) {
  MeasurePair pair = measure_pair("kernel:chain").value();
  ASSERT_EQ(pair.steps, 2048U);
  EXPECT_FALSE(pair.rate);
  EXPECT_DOUBLE_EQ(pair.value(1'000, 1'000 + 4 * 2048), 4.0);
  pair.rate = true;
  EXPECT_DOUBLE_EQ(pair.value(1'000, 1'512), 4.0);
}

TEST(Measure, AKernelWithoutALoopHasNoPair) {
  EXPECT_TRUE(measure_pair("kernel:ffmakernel?variant=loop").has_value());
  EXPECT_FALSE(measure_pair("kernel:ffmakernel?variant=straight").has_value());
}

TEST(Measure, EveryMicrobenchmarkHasOneAndNoApplicationDoes) {
  for (const Entry& entry : catalogue()) {
    const auto pair = measure_pair("kernel:" + std::string(entry.name));
    EXPECT_EQ(pair.has_value(), entry.group == Group::microbenchmark) << entry.name;
    if (pair) {
      EXPECT_GT(pair->steps, 0U) << entry.name;
      EXPECT_FALSE(pair->step.empty()) << entry.name;
      EXPECT_NO_THROW((void)plan_of(pair->longer, 80)) << entry.name;
    }
  }
}

}  // namespace
}  // namespace wg::kernels
