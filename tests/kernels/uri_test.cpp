// kernel: URIs, right and wrong.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "kernels/walk.hpp"

namespace wg::kernels {
namespace {

std::string message(const std::string& uri) {
  try {
    (void)open_builder(uri, 80);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "no error";
}

void expect_parts(const std::string& uri, std::initializer_list<const char*> parts) {
  const std::string text = message(uri);
  for (const char* part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << uri << ": '" << part << "' not in: " << text;
  }
}

TEST(Uri, WrongNamesGiveTheNearestAndTheValidOnes) {
  expect_parts("kernel:gemn",
               {"kernel:gemn", "found 'gemn'", "did you mean 'gemm'?", "vecadd", "shape-gather"});
  expect_parts("kernel:gemm?mm=3", {"found 'mm'", "did you mean 'm'?", "m, n, k, type, copy, launches"});
  expect_parts("kernel:chain?op=FFNA", {"did you mean 'FFMA'?", "DADD"});
}

TEST(Uri, WrongValuesSayWhatIsValid) {
  expect_parts("kernel:gemm?m=0", {"a whole number from 1 to 65536 for 'm'", "found '0'"});
  expect_parts("kernel:gemm?m=-1", {"found '-1'"});
  expect_parts("kernel:gemm?m=12x", {"found '12x'"});
  expect_parts("kernel:gemm?m=", {"found ''"});
  expect_parts("kernel:gemm?m=99999999999999999999999", {"a whole number"});
  expect_parts("kernel:shape-ffma?scale=0", {"a number above 0, at most 16"});
  expect_parts("kernel:shape-ffma?scale=nan", {"a number above 0"});
  expect_parts("kernel:gemm?m", {"argument=value", "found 'm'"});
  expect_parts("kernel:gemm?m=1&m=2", {"'m' once"});
  expect_parts("gemm", {"kernel:NAME?argument=value"});
  expect_parts("kernel:gemm?k=7", {"a multiple of 4", "use 8"});
}

TEST(Uri, ACtaTooLongForMemoryIsRefused) {
  for (const char* name : {"chain", "throughput", "register-banks", "constant", "chase", "bandwidth",
                           "shared-latency", "shared-conflict", "shared-bandwidth", "atomic", "barrier"}) {
    expect_parts(std::string("kernel:") + name + "?unroll=64k&iterations=1000000",
                 {"at most 134217728 warp instructions in a CTA"});
  }
  expect_parts("kernel:icache?instructions=256k&iterations=1000000", {"at most 134217728"});
  expect_parts("kernel:chase?footprint=64G&stride=8&level=l2", {"at most 134217728"});
}

TEST(Uri, AllProblemsComeTogether) {
  try {
    (void)parse_uri("kernel:gemm?m=0&q=1&type=f64");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.problems().size(), 3U);
  }
}

TEST(Uri, SpellingDoesNotChangeTheHash) {
  const auto hash = [](const std::string& uri) { return open_builder(uri, 80).hash; };
  const std::uint64_t plain = hash("kernel:vecadd?n=65536");
  EXPECT_EQ(plain, hash("kernel:vecadd?n=64k"));
  EXPECT_EQ(plain, hash("kernel:vecadd?block=256&n=64K"));
  EXPECT_NE(plain, hash("kernel:vecadd?n=65537"));
  EXPECT_NE(plain, hash("kernel:vecadd?n=65536&launches=2"));
  EXPECT_EQ(parse_uri("kernel:vecadd?block=64&n=1M").uri(), "kernel:vecadd?n=1048576&block=64&launches=1");
}

TEST(Uri, NumbersTakeBinarySuffixes) {
  std::uint64_t value = 0;
  EXPECT_TRUE(parse_number("3k", value));
  EXPECT_EQ(value, 3072U);
  EXPECT_TRUE(parse_number("17179869183G", value));
  EXPECT_EQ(value, std::uint64_t{17179869183} << 30);
  EXPECT_FALSE(parse_number("17179869184G", value));
  EXPECT_FALSE(parse_number("k", value));
  EXPECT_FALSE(parse_number("", value));
  EXPECT_FALSE(parse_number("1kk", value));
  EXPECT_FALSE(parse_number(" 1", value));
}

TEST(Uri, WorkloadHoldsCopiesThenLaunches) {
  const trace::Workload workload = open_builder("kernel:gemm?launches=3", 70);
  EXPECT_EQ(workload.name, "kernel:gemm?launches=3");
  ASSERT_EQ(workload.commands.size(), 5U);
  EXPECT_EQ(std::get<trace::Copy>(workload.commands[0]).bytes.count(), 256U * 256 * 4);
  const auto kernels = testing::kernels_of(workload);
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_EQ(kernels[0]->header().id, 1U);
  EXPECT_EQ(kernels[2]->header().id, 3U);
  EXPECT_EQ(kernels[2]->header().binary_version, 70U);
}

}  // namespace
}  // namespace wg::kernels
