// Stream files: what is written is read back, and what makes no sense is refused with its line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.hpp"
#include "host/uvm/stream_file.hpp"
#include "uvm_support.hpp"

namespace wg::host::uvm {
namespace {

std::string path_of(const char* name) { return testing::TempDir() + "uvm_" + name; }

std::string written(const std::string& text) {
  const std::string path = path_of("stream.txt");
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string error_of(const std::string& text, std::uint64_t memory = 64 * kMi) {
  const std::string path = written(text);
  try {
    ReplayOptions options;
    options.memory = Bytes{memory};
    replay({}, *open_stream(path), options);
  } catch (const Error& error) {
    return std::string(error.what()).substr(path.size());
  }
  return "no error";
}

TEST(UvmStream, RefusesWhatMakesNoSense) {
  using testing::StartsWith;
  const std::string head = "# a stream\nobject 0 a 8192\n";
  EXPECT_THAT(error_of(head + "0 1 0 r\n"), StartsWith(":3: expected an object from 0 to 0, found object 1"));
  EXPECT_THAT(error_of(head + "0 0 2 r\n"),
              StartsWith(":3: expected a page from 0 to 1 of object 0, found page 2"));
  EXPECT_THAT(error_of(head + "9 0 1 r\n8 0 1 r\n"), StartsWith(":4: expected a time of at least 9 ns"));
  EXPECT_THAT(error_of("object 0 a 0\n"), StartsWith(":1: expected an allocation of 1 byte"));
  EXPECT_THAT(error_of("object 0 a 60000000000000\n", 4 * kMi),
              StartsWith(":1: expected allocations of at most"));
  EXPECT_THAT(error_of("0 0 0 r\n"), StartsWith(":1: expected an object declared before"));
  EXPECT_THAT(error_of("object 1 a 1\n"), StartsWith(":1: expected object 0 next"));
  EXPECT_THAT(error_of(head + "0 0 0 x\n"), StartsWith(":3: expected r or w, found \"x\""));
  EXPECT_THAT(error_of(head + "0 0 0\n"),
              StartsWith(":3: expected TIME OBJECT PAGE r|w [ACCESSES], found 3 words"));
  EXPECT_THAT(error_of(head + "0 0 -1 r\n"), StartsWith(":3: expected a page as a whole number"));
  EXPECT_THAT(error_of(head + "0 0 99999999999999999999 r\n"), StartsWith(":3: expected a page as a whole"));
  EXPECT_THAT(error_of(head + "prefetch 0 0 1 2 gpu\n"), StartsWith(":3: expected 1 to 1 pages from page 1"));
  EXPECT_THAT(error_of(head + "prefetch 0 0 0 0 gpu\n"), StartsWith(":3: expected 1 to 2 pages"));
  EXPECT_THAT(error_of(head + "advise 0 0 0 1 nicely\n"), StartsWith(":3: expected preferred-gpu"));
  EXPECT_THAT(error_of(head + "fault 0 0 0 r\n"), StartsWith(":3: expected a time in ns, object"));
  EXPECT_THAT(error_of(std::string("WGUVM1\n\0abc", 11)), StartsWith("@8: expected a record of 32 bytes"));
  EXPECT_THAT(error_of(head + "0 0 1 r 0\n"), StartsWith(":3: expected 1 to 1000000 accesses, found 0"));
  EXPECT_EQ(error_of(head + "0 0 1 r\n1 0 1 r 32\n"), "no error");
  for (const std::string& empty : {std::string(), head, head + "kernel 0 k\n"}) {
    EXPECT_THAT(error_of(empty), testing::HasSubstr("expected a stream with accesses, found none"));
  }
  EXPECT_THROW(open_stream("/no/such/stream"), Error);
}

TEST(UvmStream, BothFormsReadBackTheSame) {
  EventList list = generated("bfs", {.iterations = 4});
  Event page = list.events().back();
  page.accesses = 32;
  list.put(page);
  for (const bool binary : {false, true}) {
    const std::string path = path_of(binary ? "bin" : "txt");
    StreamWriter writer(path, binary);
    for (const Event& event : list.events()) {
      writer.put(event);
    }
    Event extra;
    extra.kind = EventKind::advise;
    extra.time_ns = list.events().back().time_ns;
    extra.count = 3;
    extra.advice = Advice::read_mostly;
    writer.put(extra);
    extra.kind = EventKind::prefetch;
    extra.to_device = false;
    writer.put(extra);
    writer.close();
    const auto source = open_stream(path);
    Event event;
    for (const Event& expected : list.events()) {
      ASSERT_TRUE(source->next(event));
      ASSERT_EQ(event.kind, expected.kind);
      EXPECT_EQ(event.time_ns, expected.kind == EventKind::object ? event.time_ns : expected.time_ns);
      EXPECT_EQ(event.object, expected.kind == EventKind::kernel ? event.object : expected.object);
      if (expected.kind == EventKind::gpu) {
        EXPECT_EQ(event.page, expected.page);
        EXPECT_EQ(event.write, expected.write);
        EXPECT_EQ(event.accesses, expected.accesses);
      } else {
        EXPECT_EQ(event.name, expected.name);
      }
    }
    ASSERT_TRUE(source->next(event));
    EXPECT_EQ(event.advice, Advice::read_mostly);
    EXPECT_EQ(event.count, 3U);
    ASSERT_TRUE(source->next(event));
    EXPECT_EQ(event.kind, EventKind::prefetch);
    EXPECT_FALSE(event.to_device);
    EXPECT_FALSE(source->next(event));
  }
}

TEST(UvmStream, AllWorkloadsAreGoodStreams) {
  for (const Workload& workload : workloads()) {
    for (const std::uint64_t bytes : {std::uint64_t{0}, 300 * std::uint64_t{1024}}) {
      const EventList list = generated(workload.name, {.bytes = bytes});
      const UvmReport report = replayed(serial("tbn-driver"), list);
      EXPECT_GT(report.total.accesses, 3U) << workload.name;
      EXPECT_GT(report.total.unique_faults, 0U) << workload.name;
    }
  }
  EXPECT_THROW(generated("no-such"), Error);
  EXPECT_THROW(generated("seq", {.bytes = 1}), Error);
}

}  // namespace
}  // namespace wg::host::uvm
