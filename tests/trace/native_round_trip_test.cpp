// What is written in any form comes back with the same records.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/error.hpp"
#include "kernels/catalogue.hpp"
#include "trace/convert.hpp"
#include "trace/kernel_file.hpp"
#include "trace/native_sample.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

namespace fs = std::filesystem;

const Kernel& kernel_at(const Workload& workload, std::size_t number) {
  return *std::get<std::shared_ptr<const Kernel>>(workload.commands.at(number));
}

TEST(NativeRoundTrip, FixturesOfEveryVersion) {
  const Workload before = fixtures();
  ASSERT_GT(before.commands.size(), 20U);
  const Workload after = opened(native_bytes(before));
  EXPECT_EQ(difference(before, after), "");
  EXPECT_EQ(difference(before, opened(native_bytes(before, {.pack_from = 0}))), "");
  for (std::size_t i = 1; i < before.commands.size(); i += 2) {
    EXPECT_EQ(kernel_at(before, i).header().tracer_version, kernel_at(after, i).header().tracer_version);
    EXPECT_EQ(kernel_at(before, i).header().line_info, kernel_at(after, i).header().line_info);
  }
}

TEST(NativeRoundTrip, TheComparisonSeesDifferences) {
  MemoryCode code = random_code(3, true);
  const Workload before = workload_of({kernel_of(code)});
  for (CtaTrace& cta : code.ctas) {
    if (!cta.insts.empty()) {
      cta.insts.back().mask ^= 1;
      break;
    }
  }
  EXPECT_NE(difference(before, workload_of({kernel_of(code)})), "");
  EXPECT_NE(difference(before, workload_of({kernel_of(random_code(4, true))})), "");
}

TEST(NativeRoundTrip, AnyRecords) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Workload before = workload_of(
        {kernel_of(random_code(seed, false)), Copy{}, kernel_of(random_code(seed + 1000, false))});
    EXPECT_EQ(difference(before, opened(native_bytes(before))), "") << seed;
  }
}

TEST(NativeRoundTrip, KernelsWrittenAsCode) {
  for (const char* name : {"vecadd", "gemm", "reduce", "gather"}) {
    for (const std::uint32_t sm : {61U, 80U, 90U}) {
      const std::string uri = fmt::format("kernel:{}", name);
      const Workload before = kernels::open_builder(uri, sm);
      EXPECT_EQ(difference(before, opened(native_bytes(before))), "") << uri << " on " << sm;
    }
  }
}

TEST(NativeRoundTrip, AFileIsAWorkloadToOpenTrace) {
  const TempFolder folder;
  const Workload before = fixtures();
  convert(before, folder.path() + "/a.wgt");
  const Workload after = open_trace(folder.path() + "/a.wgt");
  EXPECT_EQ(difference(before, after), "");
  EXPECT_EQ(after.name, folder.path() + "/a.wgt");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  convert(after, folder.path() + "/b.wgt");
  EXPECT_EQ(bytes_of(folder.path() + "/a.wgt"), bytes_of(folder.path() + "/b.wgt"));
  EXPECT_EQ(open_trace(folder.path() + "/b.wgt").hash, after.hash);
  fs::rename(folder.path() + "/b.wgt", folder.path() + "/b.trace");  // known by its first bytes, too
  EXPECT_EQ(open_trace(folder.path() + "/b.trace").hash, after.hash);
}

TEST(NativeRoundTrip, ThroughTextAndChunks) {
  const TempFolder folder;
  const Workload before = fixtures();
  for (const char* name : {"text", "chunks.tracez"}) {
    const std::string out = folder.path() + '/' + name;
    convert(before, out);
    EXPECT_EQ(difference(before, open_trace(out)), "") << name;
    convert(open_trace(out), out + ".wgt");
    EXPECT_EQ(difference(before, open_trace(out + ".wgt")), "") << name;
  }
}

TEST(NativeRoundTrip, RandomRecordsThroughTextAndChunks) {
  const TempFolder folder;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Workload before = workload_of({kernel_of(random_code(seed, true))});
    const std::string out = fmt::format("{}/{}", folder.path(), seed);
    convert(before, out);
    EXPECT_EQ(difference(before, open_trace(out)), "") << seed;
    convert(before, out + ".tracez");
    EXPECT_EQ(difference(before, open_trace(out + ".tracez")), "") << seed;
  }
}

TEST(NativeSeek, AnyOrderAndAnyThread) {
  const Workload before = workload_of({kernel_of(random_code(11, false))});
  const Workload native = opened(native_bytes(before));
  const Kernel& kernel = kernel_at(native, 0);
  const std::vector<SeenCta> wanted = read_all(kernel_at(before, 0));
  ASSERT_GT(wanted.size(), 10U);
  std::vector<std::jthread> threads;
  std::vector<std::uint64_t> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      const auto decoder = kernel.decoder();
      CtaTrace cta;
      for (std::uint64_t i = 0; i < 3 * wanted.size(); ++i) {
        const std::uint64_t number = (i * 13 + t * 5) % wanted.size();
        decoder->decode({number, 0, 0, {}}, cta);
        std::size_t insts = 0;
        for (const auto& warp : wanted[number].warps) {
          insts += warp.size();
        }
        wrong[t] += cta.index != wanted[number].index || cta.insts.size() != insts ? 1U : 0U;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, std::vector<std::uint64_t>(4, 0));
  EXPECT_THROW(kernel.decoder()->decode({wanted.size(), 0, 0, {}}, *std::make_unique<CtaTrace>()), Error);
}

TEST(NativeSeek, ManyBlocks) {
  HeaderText header;
  header.grid = "(9000,1,1)";
  std::string text = header.text();
  for (int i = 0; i < 9000; ++i) {
    text +=
        block_text(fmt::format("{},0,0", i),
                   {{fmt::format("0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x{:x} 4 0", 0x7f0000000000 + i * 128)}});
  }
  const Workload before = workload_of({kernel_of(text)});
  const std::string bytes = native_bytes(before);
  EXPECT_LT(bytes.size(), text.size() / 40);
  const Workload after = opened(bytes);
  EXPECT_EQ(difference(before, after), "");
  const auto decoder = kernel_at(after, 0).decoder();
  CtaTrace cta;
  for (const std::uint64_t number : {8999U, 0U, 4096U, 4095U, 8192U}) {
    decoder->decode({number, 0, 0, {}}, cta);
    EXPECT_EQ(cta.index.x, number);
    EXPECT_EQ(cta.form(cta.insts.at(0)).base, 0x7f0000000000 + number * 128);
  }
}

TEST(NativeWrite, RefusesAKernelThatIsNotWhole) {
  const TempFolder folder;
  HeaderText header;
  header.grid = "(2,1,1)";
  const std::string text = header.text() + block_text("0,0,0", {{"0000 ffffffff 0 EXIT 0 0 0"}});
  EXPECT_THROW(convert(workload_of({kernel_of(text)}), folder.path() + "/x.wgt"), Error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_THROW(convert(fixtures(), folder.path() + "/none/x.wgt"), Error);
  folder.write("full/file", "x");
  EXPECT_THROW(convert(fixtures(), folder.path() + "/full"), Error);
}

class RealTracesNative : public ::testing::TestWithParam<const char*> {};

TEST_P(RealTracesNative, KeepTheirRecords) {
  const char* const data = std::getenv("WG_DATA_DIR");
  if (data == nullptr) {
    GTEST_SKIP() << "WG_DATA_DIR is not set: no recorded traces";
  }
  const Workload before = open_trace(fmt::format("{}/traces/{}", data, GetParam()));
  EXPECT_EQ(difference(before, opened(native_bytes(before))), "");
}

INSTANTIATE_TEST_SUITE_P(
    Lists, RealTracesNative,
    ::testing::Values("volta_bfs/bfs-rodinia-3.1", "volta_bfs/kernelslist", "ampere_bfs/bfs-rodinia-2.0-ft",
                      "flashinfer/nn-onestep", "flashinfer/singledecode", "h100/dataset_debug",
                      "h100/simple-trace-example", "h100/simtune-ffmakernel-1-32-10",
                      "h100/simtune-ffmakernel-1-32-20", "h100/simtune-ffmakernel-1-32-30",
                      "h100/simtune-ffmakernel-4096-16", "pascal/matrixmul-32", "pascal/vectoradd-100",
                      "turing_vectoradd/processed", "turing_vectoradd/raw"));

}  // namespace
}  // namespace wg::trace::test
