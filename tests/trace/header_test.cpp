#include "trace/header.hpp"

#include "base/error.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ParsedHeader parse(const std::string& text) {
  BlockReader reader(open_memory("k.traceg", text), "k.traceg", 7);  // tiny blocks: lines cross them
  return parse_header(reader);
}

std::string header_error(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TraceHeader, ReadsEveryKey) {
  const KernelHeader h =
      parse(
          "-kernel name = _Z4testv\n-kernel id = 17\n-grid dim = (3,2,1)\n-block dim = (33,2,1)\n-shmem = "
          "4096\n"
          "-nregs = 40\n-binary version = 86\n-cuda stream id = 18446744073709551615\n"
          "-shmem base_addr = 0x00007f1a00000000\n-local mem base_addr = 0x00007f1a02000000\n"
          "-nvbit version = 1.7.4\n-accelsim tracer version = 5\n-enable lineinfo = 1\n-own label = x\n\n"
          "#traces format = PC\n\n#BEGIN_TB\n")
          .header;
  EXPECT_EQ(h.name, "_Z4testv");
  EXPECT_EQ(h.id, 17U);
  EXPECT_EQ(h.grid, (Dim3{3, 2, 1}));
  EXPECT_EQ(h.block, (Dim3{33, 2, 1}));
  EXPECT_EQ(h.threads_per_cta(), 66U);
  EXPECT_EQ(h.warps_per_cta(), 3U);
  EXPECT_EQ(h.shared_bytes, Bytes{4096});
  EXPECT_EQ(h.registers, 40U);
  EXPECT_EQ(h.binary_version, 86U);
  EXPECT_EQ(h.stream, 18446744073709551615U);
  EXPECT_EQ(h.shared_base, 0x7f1a00000000U);
  EXPECT_EQ(h.local_base, 0x7f1a02000000U);
  EXPECT_EQ(h.nvbit_version, "1.7.4");
  EXPECT_EQ(h.tracer_version, 5U);
  EXPECT_TRUE(h.line_info);
}

TEST(TraceHeader, VersionOneHasNoVersionLine) {
  EXPECT_EQ(
      parse("-grid dim = (1,1,1)\n-block dim = (1,1,1)\n-binary version = 70\n#\n").header.tracer_version,
      1U);
  EXPECT_EQ(parse("-grid dim = (1,1,1)\n-block dim = (1,1,1)\n-binary version = 70\n"
                  "-accelsim tracer version = 1.2\n#\n")
                .header.tracer_version,
            1U);
}

TEST(TraceHeader, FindsTheBody) {
  const std::string head =
      "-grid dim = (1,1,1)\n-block dim = (1,1,1)\n-binary version = 70\n\n#traces format\n\n";
  const ParsedHeader grouped = parse(head + "#BEGIN_TB\n");
  EXPECT_EQ(grouped.layout, Layout::grouped);
  EXPECT_EQ(grouped.body_offset, head.size());
  EXPECT_EQ(grouped.body_line, 7U);
  const ParsedHeader raw = parse(head + "0 0 0 0 0000 ffffffff 0 EXIT 0 0\n");
  EXPECT_EQ(raw.layout, Layout::raw);
  EXPECT_EQ(raw.body_offset, head.size());
  EXPECT_EQ(raw.body_line, 7U);
}

TEST(TraceHeader, ToleratesCarriageReturns) {
  EXPECT_EQ(
      parse("-grid dim = (4,1,1)\r\n-block dim = (1,1,1)\r\n-binary version = 70\r\n#x\r\n").header.grid.x,
      4U);
}

TEST(TraceHeader, WrittenHeadersReadBack) {
  KernelHeader h;
  h.name = "_Z1av";
  h.id = 9;
  h.grid = {7, 6, 5};
  h.block = {64, 4, 2};
  h.shared_bytes = Bytes{100};
  h.registers = 24;
  h.binary_version = 90;
  h.stream = 12;
  h.shared_base = 0x1234;
  h.local_base = 0x5678;
  h.tracer_version = 4;
  h.nvbit_version = "1.5";
  h.line_info = true;
  const KernelHeader back = parse(header_text(h)).header;
  EXPECT_EQ(back.name, h.name);
  EXPECT_EQ(back.id, h.id);
  EXPECT_EQ(back.grid, h.grid);
  EXPECT_EQ(back.block, h.block);
  EXPECT_EQ(back.shared_bytes, h.shared_bytes);
  EXPECT_EQ(back.registers, h.registers);
  EXPECT_EQ(back.binary_version, h.binary_version);
  EXPECT_EQ(back.stream, h.stream);
  EXPECT_EQ(back.shared_base, h.shared_base);
  EXPECT_EQ(back.local_base, h.local_base);
  EXPECT_EQ(back.tracer_version, h.tracer_version);
  EXPECT_EQ(back.nvbit_version, h.nvbit_version);
  EXPECT_EQ(back.line_info, h.line_info);
}

TEST(TraceHeader, AbsurdGeometryIsAnError) {
  const auto with = [](const char* grid, const char* block) {
    return header_error(std::string("-grid dim = ") + grid + "\n-block dim = " + block +
                        "\n-binary version = 70\n#\n");
  };
  EXPECT_THAT(with("(0,1,1)", "(1,1,1)"), AllOf(HasSubstr("k.traceg:1:"), HasSubstr("(0,1,1)")));
  EXPECT_THAT(with("(1,70000,1)", "(1,1,1)"), HasSubstr("65535"));
  EXPECT_THAT(with("(99999999999999999999999,1,1)", "(1,1,1)"), HasSubstr("k.traceg:1:"));
  EXPECT_THAT(with("(-1,1,1)", "(1,1,1)"), HasSubstr("k.traceg:1:"));
  EXPECT_THAT(with("(1,1)", "(1,1,1)"), HasSubstr("k.traceg:1:"));
  EXPECT_THAT(with("(1,1,1)", "(1025,1,1)"), HasSubstr("k.traceg:2:"));
  EXPECT_THAT(with("(1,1,1)", "(64,32,1)"), AllOf(HasSubstr("k.traceg:2:"), HasSubstr("2048 threads")));
  EXPECT_EQ(with("(2147483647,65535,65535)", "(1024,1,1)"), "");
}

TEST(TraceHeader, AllWrongValuesAreToldTogether) {
  const std::string error = header_error(
      "-grid dim = (0,1,1)\n-block dim = (1,1,1)\n-shmem = -4\n-binary version = 12\n"
      "-accelsim tracer version = 9\n-shmem base_addr = 0xzz\n#\n");
  for (const char* place : {"k.traceg:1:", "k.traceg:3:", "k.traceg:4:", "k.traceg:5:", "k.traceg:6:"}) {
    EXPECT_THAT(error, HasSubstr(place));
  }
}

TEST(TraceHeader, MissingKeysAndGarbage) {
  EXPECT_THAT(header_error("-kernel name = a\n#x\n"),
              AllOf(HasSubstr("grid dim"), HasSubstr("block dim"), HasSubstr("binary version")));
  EXPECT_THAT(header_error(""), HasSubstr("an empty file"));
  EXPECT_THAT(header_error("\n\n"), HasSubstr("an empty file"));
  EXPECT_THAT(header_error("\x01\x02zz"), AllOf(HasSubstr("k.traceg:1:"), HasSubstr("\\x01\\x02zz")));
  EXPECT_THAT(header_error("-grid dim\n"), HasSubstr("k.traceg:1:"));
}

}  // namespace
}  // namespace wg::trace::test
