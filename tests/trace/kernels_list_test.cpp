#include "trace/kernels_list.hpp"

#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Seen {
  CopyKind kind;
  std::uint64_t address;
  std::uint64_t bytes;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> copies(const std::string& text) {
  std::vector<Seen> out;
  const KernelsList list = parse_kernels_list(text, "list");
  EXPECT_TRUE(list.problems.empty());
  for (const auto& entry : list.entries) {
    const Copy& copy = std::get<Copy>(entry);
    out.push_back({copy.kind, copy.address, copy.bytes.count()});
  }
  return out;
}

TEST(TraceKernelsList, Copies) {
  EXPECT_EQ(copies("MemcpyHtoD,0x00007f4d25700000,800000\nMemcpyDtoH,0x10,4\r\nMemcpyDtoD,0x20,0x30,8\n"),
            (std::vector<Seen>{{CopyKind::host_to_device, 0x7f4d25700000, 800000},
                               {CopyKind::device_to_host, 0x10, 4},
                               {CopyKind::device_to_device, 0x20, 8}}));
}

TEST(TraceKernelsList, AsynchronousCopies) {
  EXPECT_EQ(copies("MemcpyHtoDAsync,0x10,4\nMemcpyAsyncDtoH,0x20,8,stream,3\nMemcpyAsync,HtoD,0x30,16"),
            (std::vector<Seen>{{CopyKind::host_to_device, 0x10, 4},
                               {CopyKind::device_to_host, 0x20, 8},
                               {CopyKind::host_to_device, 0x30, 16}}));
}

TEST(TraceKernelsList, KernelsAndTheirLines) {
  const KernelsList list =
      parse_kernels_list("\n# remark\nkernel-1.traceg\n  kernel-2.traceg.xz \r\n./sub/k.trace\n", "l");
  ASSERT_EQ(list.entries.size(), 3U);
  EXPECT_EQ(std::get<KernelEntry>(list.entries[0]).file, "kernel-1.traceg");
  EXPECT_EQ(std::get<KernelEntry>(list.entries[0]).line, 3U);
  EXPECT_EQ(std::get<KernelEntry>(list.entries[1]).file, "kernel-2.traceg.xz");
  EXPECT_EQ(std::get<KernelEntry>(list.entries[2]).file, "./sub/k.trace");
  EXPECT_TRUE(list.warnings.empty());
}

TEST(TraceKernelsList, OtherLinesAreCounted) {
  const KernelsList list =
      parse_kernels_list("cudaMalloc,0x10,4\ncudaMalloc,0x20,4\nMemcpyPeer,0x1,2\n", "l");
  EXPECT_TRUE(list.entries.empty());
  EXPECT_THAT(list.warnings, ElementsAre(HasSubstr("1 line `MemcpyPeer` skipped"),
                                         HasSubstr("2 lines `cudaMalloc` skipped")));
}

TEST(TraceKernelsList, MalformedCopies) {
  const KernelsList list = parse_kernels_list(
      "MemcpyHtoD,0x10\nMemcpyHtoD,10,4\nMemcpyHtoD,0xzz,4\nMemcpyHtoD,0x10,-4\nMemcpyHtoD\nMemcpyHtoD,0x10,"
      "4k\n",
      "l");
  EXPECT_TRUE(list.entries.empty());
  ASSERT_EQ(list.problems.size(), 6U);
  EXPECT_THAT(list.problems[2].text(), AllOf(HasSubstr("l:3:"), HasSubstr("MemcpyHtoD,0xzz,4")));
}

}  // namespace
}  // namespace wg::trace::test
