// Raw traces: interleaved lines come out as grouped blocks, whatever part of them fits in memory.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "trace/header.hpp"
#include "trace/raw_runs.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The same instructions as a grouped and as a raw file.
struct Pair {
  std::string grouped;
  std::string raw;
};

std::string ids(int version, const Dim3& cta, std::size_t warp) {
  std::string out = fmt::format("{} {} {} {} ", cta.x, cta.y, cta.z, warp);
  return version < 6 ? out : out + "0 0 0 0 0 0 0 ";
}

Pair random_pair(int version, std::uint64_t seed) {
  Rng rng(seed);
  const HeaderText header{.version = version, .grid = "(3,2,2)", .block = "(100,1,1)", .arch = 80};
  Pair out{header.text(), header.text()};
  struct Queue {
    Dim3 cta;
    std::size_t warp = 0;
    std::vector<std::string> lines;
    std::size_t next = 0;
  };
  std::vector<Queue> queues;
  for (std::uint32_t z = 0; z < 2; ++z) {
    for (std::uint32_t y = 0; y < 2; ++y) {
      for (std::uint32_t x = 0; x < 3; ++x) {
        std::vector<std::vector<std::string>> warps(4);
        for (std::size_t w = 0; w < warps.size(); ++w) {
          const std::string prefix = ids(version, {x, y, z}, w);
          const std::uint64_t count = w == 3 && x == 1 ? 0 : 1 + rng.below(30);  // some warps run nothing
          std::vector<std::string> raw_lines;
          for (std::uint64_t i = 0; i < count; ++i) {
            const std::string imm = version >= 5 ? " 0 " : " ";
            const std::string line =
                rng.below(2) == 0
                    ? fmt::format("{:04x} {:08x} 1 R4 IADD3 2 R1 R2 0{}", i * 16, rng.below(1U << 31), imm)
                    : fmt::format("{:04x} 00000003 1 R4 LDG.E 1 R2 4 1 0x{:x} 4{}", i * 16, rng.next() >> 16,
                                  imm);
            warps[w].push_back(version < 3 ? prefix + line : line);
            raw_lines.push_back(prefix + line);
          }
          queues.push_back({{x, y, z}, w, raw_lines});
        }
        out.grouped += block_text(fmt::format("{},{},{}", x, y, z), warps);
      }
    }
  }
  while (!queues.empty()) {
    const std::size_t q = rng.below(queues.size());
    if (queues[q].next < queues[q].lines.size()) {
      out.raw += queues[q].lines[queues[q].next++] + "\n";
    } else {
      queues.erase(queues.begin() + static_cast<std::ptrdiff_t>(q));
    }
  }
  return out;
}

std::shared_ptr<const KernelFile> file_of(const std::string& bytes) {
  StreamOpener opener = [bytes_ptr = std::make_shared<const std::string>(bytes)] {
    return open_memory("k.trace", *bytes_ptr);
  };
  BlockReader reader(opener(), "k.trace");
  ParsedHeader parsed = parse_header(reader);
  return std::make_shared<KernelFile>(KernelFile{"k.trace", opener, parsed});
}

class TraceRaw : public ::testing::TestWithParam<int> {};

TEST_P(TraceRaw, EqualsGrouped) {
  const Pair pair = random_pair(GetParam(), static_cast<std::uint64_t>(GetParam()));
  const std::vector<SeenCta> expected = read_all(*kernel_of(pair.grouped));
  ASSERT_EQ(expected.size(), 12U);
  EXPECT_EQ(read_all(*kernel_of(pair.raw, "k.trace")), expected);
}

TEST_P(TraceRaw, EqualsGroupedThroughATemporaryFile) {
  const Pair pair = random_pair(GetParam(), 100 + static_cast<std::uint64_t>(GetParam()));
  const std::vector<SeenCta> expected = read_all(*kernel_of(pair.grouped));
  const auto kernel = kernel_of(pair.raw, "k.trace");
  for (const std::size_t run_bytes : {1U, 300U, 5000U}) {
    const auto source = make_raw_source(file_of(pair.raw), run_bytes);
    EXPECT_EQ(read_all(*kernel, *source), expected) << run_bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, TraceRaw, ::testing::Values(1, 2, 3, 4, 5, 6));

TEST(TraceRawPairs, TheSharedHalfOfAnLdgstsIsDropped) {
  const HeaderText header{.version = 5, .arch = 80};
  const auto line = [](const char* pc, const char* address) {
    return fmt::format("0 0 0 0 {} 00000001 0 LDGSTS.E.128 2 R4 R12 16 2 {} 0\n", pc, address);
  };
  const std::string exit = "0 0 0 0 0300 ffffffff 0 EXIT 0 0 0\n";
  const auto addresses = [&](const std::string& lines) {
    std::vector<std::uint64_t> out;
    const std::vector<SeenCta> blocks = read_all(*kernel_of(header.text() + lines + exit, "k.trace"));
    for (const SeenInst& inst : blocks.at(0).warps.at(0)) {
      out.insert(out.end(), inst.addresses.begin(), inst.addresses.end());
    }
    return out;
  };
  using Addresses = std::vector<std::uint64_t>;
  EXPECT_EQ(addresses(line("0100", "0x10") + line("0100", "0x7f00")), Addresses{0x7f00});
  EXPECT_EQ(addresses(line("0100", "0x10") + line("0100", "0x7f00") + line("0110", "0x20") +
                      line("0110", "0x8f00")),
            (Addresses{0x7f00, 0x8f00}));
  EXPECT_EQ(
      addresses(line("0100", "0x10") + line("0100", "0x1") + line("0100", "0x20") + line("0100", "0x2")),
      (Addresses{0x1, 0x2}));
  EXPECT_EQ(addresses(line("0100", "0x7f00") + line("0110", "0x8f00")), (Addresses{0x7f00, 0x8f00}));
}

TEST(TraceRawErrors, NameTheLineOfTheRawFile) {
  const HeaderText header{
      .version = 5, .grid = "(2,1,1)", .block = "(64,1,1)"};  // the body begins in line 17
  const auto error = [&](const std::string& lines) { return error_of(header.text() + lines, "k.trace"); };
  const std::string good = "0 0 0 1 0000 ffffffff 0 EXIT 0 0 0\n";
  const std::string other = "1 0 0 0 0000 ffffffff 0 EXIT 0 0 0\n";
  EXPECT_EQ(error(good + other), "");
  EXPECT_THAT(
      error(good + other + "0 0 0 0 0000 ffffffff 0 EXIT 0 0 0\n" + "0 0 0 1 0010 xfffffff 0 EXIT 0 0 0\n"),
      AllOf(HasSubstr("k.trace:20:"), HasSubstr("a mask")));
  EXPECT_THAT(error(good + "\n0 0 0 2 0000 ffffffff 0 EXIT 0 0 0\n"),
              AllOf(HasSubstr("k.trace:19:"), HasSubstr("a warp below 2")));
  EXPECT_THAT(error(good + "2 0 0 0 0000 ffffffff 0 EXIT 0 0 0\n"),
              AllOf(HasSubstr("k.trace:18:"), HasSubstr("inside the grid")));
  EXPECT_THAT(error(good + "0 0 rubbish\n"), HasSubstr("k.trace:18:"));
  for (const char* ids_only : {"0 0 0 0\n", "0 0 0 0 \n", "0 0 0 0\r\n", "0 0 0 0"}) {
    EXPECT_THAT(error(good + ids_only), HasSubstr("k.trace:18:"));
  }
  EXPECT_THAT(error(good), HasSubstr("no instruction of block (1,0,0)"));
  EXPECT_THAT(error(other), HasSubstr("no instruction of block (0,0,0)"));
}

TEST(TraceRawErrors, NoFinalNewlineIsFine) {
  const HeaderText header{.version = 5};
  EXPECT_EQ(error_of(header.text() + "0 0 0 0 0000 ffffffff 0 EXIT 0 0 0", "k.trace"), "");
}

TEST(TraceRawRuns, SortsByBlockAndWarpAndKeepsLineOrder) {
  RunBuilder builder;
  builder.add(5, 1, "a");
  builder.add(2, 3, "b");
  builder.add(5, 0, "c");
  builder.add(5, 1, "d");
  EXPECT_EQ(builder.bytes(), 8U);
  RunReader reader(builder.build());
  EXPECT_EQ(builder.bytes(), 0U);
  const auto next = [&] {
    const Segment head = *reader.head();
    std::string text;
    reader.take(text);
    return fmt::format("{}/{}/{}:{}", head.cta, head.warp, head.lines, text);
  };
  EXPECT_EQ(next(), "2/3/1:b\n");
  EXPECT_EQ(next(), "5/0/1:c\n");
  EXPECT_EQ(next(), "5/1/2:a\nd\n");
  EXPECT_EQ(reader.head(), nullptr);
}

}  // namespace
}  // namespace wg::trace::test
