// Compressed inputs: by magic and by suffix, concatenated, truncated, damaged.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string drain(const std::string& bytes, const std::string& name, std::size_t step) {
  const auto stream = open_memory(name, bytes);
  std::string out;
  std::string piece(step, '\0');
  for (std::size_t got = stream->read(piece); got > 0; got = stream->read(piece)) {
    out.append(piece, 0, got);
  }
  EXPECT_EQ(stream->read(piece), 0U);
  return out;
}

std::string sample_text(std::size_t size) {
  Rng rng(7);
  std::string text;
  while (text.size() < size) {
    text += fmt::format("{:x} {} line\n", rng.next(), rng.below(1000));
  }
  return text;
}

std::string error_text(const std::string& bytes, const std::string& name) {
  try {
    drain(bytes, name, 1000);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class TraceCompression : public ::testing::TestWithParam<const char*> {};

TEST_P(TraceCompression, ReadsBackInAnyStep) {
  const std::string text = sample_text(800'000);
  const std::string bytes = packed(text, GetParam());
  for (const std::size_t step : {std::size_t{1} << 20, std::size_t{4096}, std::size_t{777}}) {
    EXPECT_EQ(drain(bytes, std::string("a") + GetParam(), step), text);
  }
  EXPECT_EQ(drain(bytes, "no-suffix", 5000), text);
  EXPECT_EQ(drain(packed("", GetParam()), std::string("a") + GetParam(), 10), "");
}

TEST_P(TraceCompression, ConcatenatedStreamsReadAsOne) {
  const std::string a = sample_text(300'000);
  EXPECT_EQ(drain(packed(a, GetParam()) + packed("tail\n", GetParam()), std::string("a") + GetParam(), 4096),
            a + "tail\n");
}

TEST_P(TraceCompression, HighlyCompressibleText) {
  const std::string text(3'000'000, 'x');
  EXPECT_EQ(drain(packed(text, GetParam()), "a", 1 << 16), text);
}

TEST_P(TraceCompression, EveryTruncationIsAnError) {
  const std::string text = sample_text(20'000);
  const std::string bytes = packed(text, GetParam());
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const std::size_t keep = 6 + rng.below(bytes.size() - 7);
    const std::string error = error_text(bytes.substr(0, keep), "cut");
    ASSERT_THAT(error, AllOf(HasSubstr(fmt::format("cut@{}", keep)), HasSubstr("the end of the file")))
        << keep;
  }
}

TEST_P(TraceCompression, DamageIsAnErrorOrHarmless) {
  const std::string text = sample_text(20'000);
  const std::string good = packed(text, GetParam());
  Rng rng(5);
  int noticed = 0;
  for (int i = 0; i < 200; ++i) {
    std::string bytes = good;
    bytes[8 + rng.below(bytes.size() - 8)] ^= static_cast<char>(1 + rng.below(255));
    noticed += error_text(bytes, "bad").empty() ? 0 : 1;
  }
  EXPECT_GT(noticed, 150);
}

TEST_P(TraceCompression, ASuffixThatLiesIsAnError) {
  EXPECT_THAT(error_text("-kernel name = x\n", std::string("k") + GetParam()),
              AllOf(HasSubstr("@0"), HasSubstr(std::string("first bytes of a ") + GetParam())));
}

TEST_P(TraceCompression, GarbageBehindTheStreamIsAnError) {
  EXPECT_NE(error_text(packed("hello\n", GetParam()) + "garbage", "k"), "");
}

INSTANTIATE_TEST_SUITE_P(Formats, TraceCompression, ::testing::Values(".xz", ".gz", ".zst"),
                         [](const auto& format) { return std::string(format.param + 1); });

TEST(TraceCompressionKinds, OneFormatUnderTheNameOfAnother) {
  EXPECT_EQ(drain(packed("text\n", ".gz"), "k.xz", 10), "text\n");
}

}  // namespace
}  // namespace wg::trace::test
