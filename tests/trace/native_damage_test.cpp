// Damaged and foreign files: one clear error or the same records, never anything else.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "fuzz/consume.hpp"
#include "trace/kernel_file.hpp"
#include "trace/native_sample.hpp"
#include "trace/sample.hpp"

namespace wg::trace::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fixture(const std::string& name) {
  return fmt::format("{}/tests/trace/data/{}", WG_SOURCE_DIR, name);
}
std::string seed(const std::string& name) {
  return fmt::format("{}/tests/fuzz/corpus/native/{}", WG_SOURCE_DIR, name);
}

Workload sample() {
  return workload_of({Copy{CopyKind::device_to_host, 0x7f1a20000000, Bytes{4096}},
                      open_kernel_file(fixture("v5.traceg")), open_kernel_file(fixture("v6.traceg"))});
}

/// What is wrong with reading `bytes`; "" if they hold the records of `wanted`.
std::string outcome(const std::string& bytes, const Workload& wanted) {
  try {
    const std::string found = difference(wanted, opened(bytes));
    return found.empty() ? "" : "other records: " + found;
  } catch (const Error& error) {
    return error.problems().size() == 1 && error.problems()[0].where.starts_with("x.wgt@") ? "error"
                                                                                           : error.what();
  }
}

std::string error_of_bytes(const std::string& bytes) {
  try {
    const Workload workload = opened(bytes);
    difference(workload, workload);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NativeDamage, EveryByteChanged) {
  const Workload wanted = sample();
  for (const unsigned pack_from : {0U, 1U}) {
    const std::string whole = native_bytes(wanted, {.pack_from = pack_from});
    ASSERT_EQ(outcome(whole, wanted), "");
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int flip : {1, 0x80, 0xFF}) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ flip);
        ASSERT_EQ(outcome(bytes, wanted), "error") << "byte " << at << " of " << whole.size();
      }
    }
  }
}

TEST(NativeDamage, EveryByteChangedBehindTheChecksums) {
  const std::string whole = native_bytes(sample(), {.pack_from = 0});
  ASSERT_GT(fuzz::consume_native(whole, true), 0);
  std::size_t accepted = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int flip = 1; flip < 256; flip += 27) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      EXPECT_EQ(fuzz::consume_native(bytes, true), -1);
      accepted += fuzz::consume_native(bytes, false) >= 0 ? 1U : 0U;  // aborts where records are unsound
    }
  }
  EXPECT_GT(accepted, 100U);  // names, registers, addresses: the checks behind were reached
}

TEST(NativeDamage, CutAndLengthened) {
  const std::string whole = native_bytes(sample());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    ASSERT_THAT(error_of_bytes(whole.substr(0, size)), HasSubstr("x.wgt@")) << size;
  }
  EXPECT_THAT(error_of_bytes(whole + "x"), HasSubstr("x.wgt@"));
  EXPECT_THAT(error_of_bytes(whole + whole), HasSubstr("x.wgt@"));
  EXPECT_THAT(error_of_bytes(whole.substr(0, whole.size() - 100)), HasSubstr("cut off"));
}

TEST(NativeDamage, Words) {
  std::string bytes = native_bytes(sample());
  bytes[8] = 9;
  EXPECT_THAT(error_of_bytes(bytes),
              AllOf(HasSubstr("x.wgt@8: expected version 2"), HasSubstr("found version 9")));
  bytes[8] = 1;  // before the first release
  EXPECT_THAT(error_of_bytes(bytes), AllOf(HasSubstr("x.wgt@8: expected version 2"), HasSubstr("version 1"),
                                           HasSubstr("convert the trace again")));
  EXPECT_THAT(error_of_bytes("-kernel name = x\n"), HasSubstr("x.wgt@0: expected the first bytes"));
  bytes = native_bytes(sample());
  bytes[20] = static_cast<char>(bytes[20] + 1);
  EXPECT_THAT(error_of_bytes(bytes), AllOf(HasSubstr("x.wgt@16: expected a block with checksum")));
}

TEST(NativeDamage, AFileOfAnotherKindByName) {
  const TempFolder folder;
  EXPECT_THROW(open_trace(folder.write("a.wgt", "")), Error);
  EXPECT_THROW(open_trace(folder.write("b.wgt", "-kernel name = x\n")), Error);
}

TEST(NativeGolden, SectionsArePackedWhereThatSavesThreeQuarters) {
  const Workload wanted = sample();
  const std::size_t loose = native_bytes(wanted, {.pack_from = 0}).size();
  EXPECT_LT(native_bytes(wanted, {.pack_from = 1}).size(), loose);
  EXPECT_EQ(native_bytes(wanted).size(), loose);  // nothing of so small a file shrinks that much
  const Workload copies =
      workload_of(std::vector<Command>(2000, Copy{CopyKind::host_to_device, 0x7f1a20000000, Bytes{4096}}));
  EXPECT_LT(native_bytes(copies).size() * 4, native_bytes(copies, {.pack_from = 0}).size());
  EXPECT_EQ(native_bytes(copies), native_bytes(copies, {.pack_from = 1}));
}

TEST(NativeGolden, TheFormatIsTheSame) {
  const Workload wanted = workload_of(
      {Copy{CopyKind::host_to_device, 0x7f1a20000000, Bytes{4096}}, open_kernel_file(fixture("v5.traceg"))});
  const std::string golden = bytes_of(seed("v5.wgt"));
  ASSERT_GT(golden.size(), 300U);
  // A change of the format needs another version number and a new file.
  EXPECT_EQ(native_bytes(wanted, {.pack_from = 0}), golden);
  EXPECT_EQ(difference(wanted, opened(golden)), "");
}

TEST(NativeGolden, SeedsOfTheFuzzTarget) {
  for (const char* good : {"v5.wgt", "v6.wgt", "packed.wgt"}) {
    EXPECT_GT(fuzz::consume_native(bytes_of(seed(good)), true), 0) << good;
  }
}

}  // namespace
}  // namespace wg::trace::test
