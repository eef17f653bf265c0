#include "report/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "report/blocks.hpp"
#include "report/csv.hpp"
#include "report/dictionary.hpp"
#include "report/format.hpp"
#include "report/memory.hpp"
#include "report/progress.hpp"
#include "report/verdict.hpp"
#include "sample.hpp"

namespace wg::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Text, SaysWhyAKernelTookItsCycles) {
  const std::string out = text(sample::tidy_result(), {});
  for (const char* part : {"205,116", "why: dram bandwidth is at 89.0 % of its peak", "vectorAdd",
                           "80.0 % of issue slots wait for results of MUFU, tensor or FP64",
                           "limited by registers", "LDG.E.128.CONSTANT", "memory_dram 80 %, lsu_queue 20 %",
                           "80.0 % of issue slots pass before the first CTA arrives", "25.0 %",
                           "All 3 kernels", "copies HtoD: 1"}) {
    EXPECT_THAT(out, HasSubstr(part));
  }
}

TEST(Text, FitsAHundredColumnsWithoutColour) {
  gpu::RunResult many = sample::tidy_result();
  for (std::size_t i = 0; i < 9; ++i) {
    many.kernels.push_back(many.kernels[i]);
  }
  for (const gpu::RunResult& result : {sample::tidy_result(), many}) {
    std::istringstream lines(text(result, {.verbose = true}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width(line), 100U) << line;
      EXPECT_EQ(line.find('\033'), std::string::npos);
    }
  }
}

TEST(Text, ColoursOnlyWhenAsked) {
  EXPECT_THAT(text(sample::tidy_result(), {.colour = true}), HasSubstr("\033[1m"));
}

TEST(Text, ManyKernelsTakeALineEach) {
  const gpu::RunResult result = sample::random_result(2, 20);
  const std::string brief = text(result, {});
  EXPECT_THAT(brief, Not(HasSubstr("Hottest instructions")));
  EXPECT_THAT(brief, HasSubstr("All 20 kernels"));
  EXPECT_THAT(text(result, {.verbose = true}), HasSubstr("Kernel 17 of 20"));
}

TEST(Text, AnEmptyRunIsSaid) {
  gpu::RunResult result = sample::random_result(1, 0);
  result.complete = false;
  result.stopped_by = "interrupt";
  EXPECT_THAT(text(result, {}), testing::AllOf(HasSubstr("NOT COMPLETE: it was interrupted"),
                                               HasSubstr("no kernel was finished")));
}

/// The parts are each reason once and issued slots; together they are all slots, in the text too.
TEST(Slots, SumToAllSlots) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    const gpu::KernelResult k = sample::random_result(seed, 1).kernels[0];
    std::uint64_t sum = 0;
    double share = 0;
    for (const SlotShare& part : slot_shares(k.slots, k.issued_slots, k.issue_slots)) {
      sum += part.slots;
      share += part.share;
    }
    EXPECT_EQ(sum, k.issue_slots);
    EXPECT_NEAR(share, 1, 1e-9);
    EXPECT_THAT(slots_block(k.slots, k.issued_slots, k.issue_slots, {}), HasSubstr(grouped(k.issue_slots)));
  }
}

TEST(Slots, AreLargestFirstAfterIssued) {
  const gpu::KernelResult k = sample::random_result(11, 1).kernels[0];
  const auto shares = slot_shares(k.slots, k.issued_slots, k.issue_slots);
  EXPECT_EQ(shares[0].name, "issued");
  for (std::size_t i = 2; i < shares.size(); ++i) {
    EXPECT_GE(shares[i - 1].slots, shares[i].slots);
  }
}

TEST(Memory, RatesAreOfTheSameStream) {
  const auto rows = memory_rows(sample::tidy_result().kernels[0].counters, 1'000'000);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].what, "L1 loads");
  EXPECT_EQ(rows[0].amount, "4,000 sectors");
  EXPECT_EQ(rows[0].hits, "25.0 %");
  EXPECT_EQ(rows[0].per_request, "4.00");
  EXPECT_EQ(rows[1].hits, "10.0 %");
  EXPECT_EQ(rows[2].note, "86.40 GB/s");
  EXPECT_EQ(rows[3].hits, "74.1 %");
}

TEST(Memory, NothingUsedGivesNoRows) { EXPECT_TRUE(memory_rows({}, 1000).empty()); }

TEST(TimelineCsv, HasARowPerIntervalAndKernel) {
  EXPECT_EQ(timeline_csv(sample::tidy_result()),
            "kernel,name,begin_cycle,end_cycle,ipc\n"
            "1,_Z9vectorAddPKfS0_Pfi,0,100000,0.25\n"
            "1,_Z9vectorAddPKfS0_Pfi,100000,205116,0.75\n");
}

TEST(TimelineCsv, QuotesNames) {
  gpu::RunResult result = sample::tidy_result();
  result.kernels[0].name = "a,\"b\"";
  EXPECT_THAT(timeline_csv(result), HasSubstr("1,\"a,\"\"b\"\"\",0,"));
}

TEST(Progress, TellsWhatIsDoneAndWhatIsLeft) {
  gpu::Progress p{3, 4, "bfs", 512, 1024, 0, 0, 3'000'000, 600'000};
  EXPECT_DOUBLE_EQ(seconds_left(p, 5), 3);
  EXPECT_EQ(progress_line(p, 5, 200),
            "kernel 3/4 bfs  CTAs 512/1,024  600.0 kcycles/s  120.0 kwarp-inst/s  ETA 3.00 s");
  EXPECT_EQ(width(progress_line(p, 5, 40)), 40U);
  p = {1, 4, "bfs", 0, 0, 0, 0, 0, 0};
  EXPECT_LT(seconds_left(p, 5), 0);
}

TEST(DictionaryText, ListsUnitMeaningAndNsightMetric) {
  const std::string out = dictionary_text(sample::dictionary());
  EXPECT_THAT(out, HasSubstr("dram_read_bytes           bytes"));
  EXPECT_THAT(out, HasSubstr("ncu: dram__bytes_read.sum"));
}

}  // namespace
}  // namespace wg::report
