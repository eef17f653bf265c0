// From paths to workloads.
#include "base/error.hpp"
#include "trace/sample.hpp"
#include "trace/workload.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string kernel_text(int id) {
  std::string text = HeaderText{}.text() + block_text("0,0,0", {{"0000 ffffffff 0 EXIT 0 0 0"}});
  text.replace(text.find("id = 3"), 6, "id = " + std::to_string(id));
  return text;
}

/// "copy" or the kernel's id, in order.
std::vector<std::string> commands(const Workload& workload) {
  std::vector<std::string> out;
  for (const Command& command : workload.commands) {
    const auto* const kernel = std::get_if<std::shared_ptr<const Kernel>>(&command);
    out.push_back(kernel == nullptr ? "copy" : std::to_string((*kernel)->header().id));
    if (kernel != nullptr) {
      EXPECT_EQ(read_all(**kernel).size(), 1U);
    }
  }
  return out;
}

std::string open_error(const std::string& path) {
  try {
    open_trace(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OpenTrace, AListWithCopiesAndKernels) {
  const TempFolder folder;
  const std::string list = folder.write(
      "kernelslist.g", "MemcpyHtoD,0x100,64\nkernel-1.traceg\nMemcpyDtoH,0x100,64\nkernel-2.traceg\n");
  folder.write("kernel-1.traceg", kernel_text(1));
  folder.write("kernel-2.traceg", kernel_text(2));
  const Workload workload = open_trace(list);
  EXPECT_EQ(workload.name, list);
  EXPECT_THAT(commands(workload), ElementsAre("copy", "1", "copy", "2"));
  EXPECT_THAT(commands(open_trace(folder.path())), ElementsAre("copy", "1", "copy", "2"));
  EXPECT_THAT(commands(open_trace(folder.path() + "/")), ElementsAre("copy", "1", "copy", "2"));
}

TEST(OpenTrace, PrefersTheGroupedList) {
  const TempFolder folder;
  folder.write("kernelslist", "kernel-1.traceg\n");
  folder.write("kernelslist.g", "kernel-2.traceg\n");
  folder.write("kernel-1.traceg", kernel_text(1));
  folder.write("kernel-2.traceg", kernel_text(2));
  EXPECT_THAT(commands(open_trace(folder.path())), ElementsAre("2"));
  EXPECT_THAT(commands(open_trace(folder.path() + "/kernelslist")), ElementsAre("1"));
}

TEST(OpenTrace, AContextsList) {
  const TempFolder folder;
  folder.write("kernelslist_ctx_0x1", "kernel-1.traceg\n");
  folder.write("kernel-1.traceg", kernel_text(1));
  EXPECT_THAT(commands(open_trace(folder.path())), ElementsAre("1"));
  folder.write("kernelslist_ctx_0x2", "kernel-1.traceg\n");
  EXPECT_THAT(open_error(folder.path()),
              AllOf(HasSubstr("expected one kernels list, found 2"), HasSubstr("kernelslist_ctx_0x1")));
}

TEST(OpenTrace, AFolderWithoutAList) {
  const TempFolder folder;
  folder.write("kernel-10.traceg", kernel_text(10));
  folder.write("kernel-9.traceg", kernel_text(9));
  folder.write("stats.csv", "x\n");
  EXPECT_THAT(commands(open_trace(folder.path())), ElementsAre("9", "10"));
  folder.write("kernel-9.trace", kernel_text(9));
  EXPECT_THAT(open_error(folder.path()), HasSubstr("one file for each kernel"));
}

TEST(OpenTrace, FilesPackedAfterTheListWasWritten) {
  for (const char* suffix : {".xz", ".gz", ".zst"}) {
    const TempFolder folder;
    folder.write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg.xz\nkernel-3.trace\n");
    folder.write(std::string("kernel-1.traceg") + suffix, packed(kernel_text(1), suffix));
    folder.write("kernel-2.traceg", kernel_text(2));
    folder.write(std::string("kernel-3.traceg") + suffix, packed(kernel_text(3), suffix));
    EXPECT_THAT(commands(open_trace(folder.path())), ElementsAre("1", "2", "3")) << suffix;
  }
}

TEST(OpenTrace, ASingleKernelFileByAnyName) {
  const TempFolder folder;
  EXPECT_THAT(commands(open_trace(folder.write("k.traceg", kernel_text(4)))), ElementsAre("4"));
  EXPECT_THAT(commands(open_trace(folder.write("k.traceg.zst", packed(kernel_text(4), ".zst")))),
              ElementsAre("4"));
  EXPECT_THAT(commands(open_trace(folder.write("any", packed(kernel_text(4), ".gz")))), ElementsAre("4"));
}

TEST(OpenTrace, SkippedLinesBecomeWarnings) {
  const TempFolder folder;
  folder.write("kernelslist.g", "cudaMalloc,0x1,2\nkernel-1.traceg\n");
  folder.write("kernel-1.traceg", kernel_text(1));
  EXPECT_THAT(open_trace(folder.path()).warnings, ElementsAre(HasSubstr("1 line `cudaMalloc` skipped")));
}

TEST(OpenTrace, EveryMissingAndBrokenPartIsTold) {
  const TempFolder folder;
  folder.write("kernelslist.g", "kernel-1.traceg\nMemcpyHtoD,0x1\nkernel-2.traceg\nkernel-3.traceg\n");
  folder.write("kernel-2.traceg", "");
  folder.write("kernel-3.traceg", kernel_text(3));
  EXPECT_THAT(open_error(folder.path()),
              AllOf(HasSubstr("kernelslist.g:1: expected the file"), HasSubstr("kernelslist.g:2:"),
                    HasSubstr("kernel-2.traceg:1: expected a kernel trace, found an empty file")));
}

TEST(OpenTrace, NothingThere) {
  const TempFolder folder;
  EXPECT_THAT(open_error(folder.path() + "/none"), HasSubstr("no such file"));
  EXPECT_THAT(open_error(folder.path()), HasSubstr("kernelslist.g"));
  EXPECT_THAT(open_error(folder.write("k.tracez", "-kernel name = a")),
              HasSubstr("a zero byte behind the header"));
  EXPECT_THAT(open_error(folder.write("kernelslist.g", "")), HasSubstr("an empty file"));
  EXPECT_THAT(open_error(folder.write("kernelslist.g", "cudaMalloc\n")),
              HasSubstr("at least one kernel or copy"));
}

TEST(OpenTrace, TheHashNoticesEveryChange) {
  const TempFolder folder;
  folder.write("kernelslist.g", "kernel-1.traceg\n");
  folder.write("kernel-1.traceg", kernel_text(1));
  const std::uint64_t first = open_trace(folder.path()).hash;
  EXPECT_EQ(open_trace(folder.path()).hash, first);
  const TempFolder elsewhere;
  elsewhere.write("kernelslist.g", "kernel-1.traceg\n");
  elsewhere.write("kernel-1.traceg", kernel_text(1));
  EXPECT_EQ(open_trace(elsewhere.path()).hash, first);
  folder.write("kernel-1.traceg", kernel_text(2));
  EXPECT_NE(open_trace(folder.path()).hash, first);
  elsewhere.write("kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n");
  EXPECT_NE(open_trace(elsewhere.path()).hash, first);
}

}  // namespace
}  // namespace wg::trace::test
