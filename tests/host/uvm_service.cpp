// The driver's service: batches, replays, chunks, hints, thrashing, remote mapping.
#include <gtest/gtest.h>

#include "host/uvm/cost.hpp"
#include "uvm_support.hpp"

namespace wg::host::uvm {
namespace {

Event object(std::uint64_t bytes, std::uint32_t id = 0) {
  Event event;
  event.kind = EventKind::object;
  event.object = id;
  event.count = bytes;
  event.name = "a";
  return event;
}

Event access(std::uint64_t time_ns, std::uint64_t page, EventKind kind = EventKind::gpu) {
  Event event;
  event.kind = kind;
  event.time_ns = time_ns;
  event.page = page;
  return event;
}

Event range(EventKind kind, std::uint64_t first, std::uint64_t count) {
  Event event;
  event.kind = kind;
  event.page = first;
  event.count = count;
  return event;
}

TEST(UvmService, BatchesHoldAtMostTheirEntries) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 100; ++page) {
    pages.push_back(page);
  }
  config::UvmConfig config = serial("none");
  config.outstanding = 100;
  config.batch = 30;
  config.replay = "once";
  std::vector<Batch> batches;
  replayed(config, reads(2 * kMi, pages), 64 * kMi, &batches);
  ASSERT_EQ(batches.size(), 4U);
  EXPECT_EQ(batches[0].raw, 30U);
  EXPECT_EQ(batches[3].raw, 10U);
}

TEST(UvmService, FlushedEntriesComeAgain) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 100; ++page) {
    pages.push_back(page);
  }
  config::UvmConfig config = serial("none");
  config.outstanding = 100;
  config.batch = 30;
  const UvmReport flush = replayed(config, reads(2 * kMi, pages));
  EXPECT_EQ(flush.total.flushed, 70U + 40U + 10U);
  EXPECT_EQ(flush.total.raw_faults, 100U + 120U);
  config.replay = "batch";
  const UvmReport batch = replayed(config, reads(2 * kMi, pages));
  EXPECT_EQ(batch.total.flushed, 0U);
  EXPECT_GT(batch.total.duplicates, 0U);  // old entries and the replayed accesses' new ones
  EXPECT_EQ(batch.total.unique_faults, 100U);
}

TEST(UvmService, NeighboursMergeAndOthersAreDuplicates) {
  config::UvmConfig config = serial("none");
  config.outstanding = 5;
  const UvmReport merged = replayed(config, reads(2 * kMi, {7, 7, 7, 8, 7}));
  EXPECT_EQ(merged.total.coalesced, 2U);
  EXPECT_EQ(merged.total.duplicates, 1U);
  EXPECT_EQ(merged.total.unique_faults, 2U);
  config.coalesce = false;
  EXPECT_EQ(replayed(config, reads(2 * kMi, {7, 7, 7, 8, 7})).total.duplicates, 3U);
}

/// By hand: 160 us for the first, then 12.82 + 33 us per block, 0.2162 + 0.914 + 0.3347 us for the page.
TEST(UvmService, TimeAddsUp) {
  std::vector<Batch> batches;
  const UvmReport report = replayed(serial("none"), reads(4 * kMi, {0, 512, 1}), 64 * kMi, &batches);
  const auto us = [&](std::size_t i) {
    return static_cast<double>(batches[i].end_ps - batches[i].start_ps) * 1e-6;
  };
  const double page = 0.2162 + 0.914 + 4096 / 12239.0;
  EXPECT_NEAR(us(0), 160 + 12.82 + page, 1e-3);
  EXPECT_NEAR(us(1), 33 + 12.82 + page, 1e-3);
  EXPECT_NEAR(us(2), 12.82 + page, 1e-3);
  EXPECT_EQ(report.stall_ps, report.time_ps);
  EXPECT_EQ(report.service_ps, report.time_ps);
}

TEST(UvmService, EvictionCostsTheCopyAndAFewMicroseconds) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 3 * 512; ++page) {
    pages.push_back(page);
  }
  std::vector<Batch> batches;
  const UvmReport report = replayed(serial("whole-block"), reads(6 * kMi, pages), 4 * kMi, &batches);
  ASSERT_EQ(batches.size(), 3U);
  EXPECT_EQ(report.evictions, 1U);
  EXPECT_EQ(report.total.of(Cause::eviction), 512U);
  const double extra = static_cast<double>(batches[2].end_ps - batches[2].start_ps) * 1e-6 -
                       static_cast<double>(batches[1].end_ps - batches[1].start_ps) * 1e-6;
  EXPECT_NEAR(extra, 200, 4);  // about 0.2 ms a chunk
}

TEST(UvmService, PagesThatABatchEvictsFromABlockAreUnmappedTogether) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 512 + 64; ++page) {
    pages.push_back(page);
  }
  config::UvmConfig config = serial("none", "lru-4k");
  config.outstanding =
      64;  // the last 64 pages of block 0 fill memory, those of block 1 push out the first ones
  const UvmReport free = replayed(config, reads(4 * kMi, pages), 4 * kMi);
  const UvmReport full = replayed(config, reads(4 * kMi, pages), 2 * kMi);
  EXPECT_EQ(full.evictions, 64U);
  EXPECT_EQ(full.batches, free.batches);
  const std::uint64_t copies = 64 * copy_ps(config, 1, false);
  EXPECT_EQ(full.split.evict_ps, (config.evict_ns + config.invalidate_ns) * 1000 + copies);
}

TEST(UvmService, DriverEvictsTheLeastRecentlyFaultedChunkNotTheLeastUsed) {
  // Block 0 is used all the time but faults no more; it goes first all the same.
  const EventList list = reads(6 * kMi, {0, 512, 0, 1, 2, 1024, 600});
  config::UvmConfig config = serial("whole-block", "driver");
  EXPECT_EQ(replayed(config, list, 4 * kMi).total.unique_faults, 3U);
  config.evictor = "lru";
  config.accounting = "chunk";
  EXPECT_EQ(replayed(config, list, 4 * kMi).total.unique_faults, 4U);
}

TEST(UvmService, ChunksCountWhole) {
  config::UvmConfig config = serial("none");
  const UvmReport chunk = replayed(config, reads(8 * kMi, {0, 512, 1024, 1536}), 4 * kMi);
  EXPECT_EQ(chunk.evictions, 2U);
  EXPECT_EQ(chunk.chunk_waste_pages, 1022U);
  config.accounting = "page";
  EXPECT_EQ(replayed(config, reads(8 * kMi, {0, 512, 1024, 1536}), 4 * kMi).evictions, 0U);
}

TEST(UvmService, PreEvictionKeepsRoomAndTakesItsTimeBesides) {
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 16 * 512; ++page) {
    pages.push_back(page);
  }
  const EventList list = reads(32 * kMi, pages);
  config::UvmConfig config = serial("tbn-driver");
  const UvmReport late = replayed(config, list, 16 * kMi);
  config.free_percent = 20;
  const UvmReport early = replayed(config, list, 16 * kMi);
  EXPECT_LT(early.stall_ps, late.stall_ps);
  EXPECT_EQ(early.split.evict_ps, 0U);
}

TEST(UvmService, CleanPagesMayLeaveWithoutACopy) {
  EventList list;
  list.put(object(6 * kMi));
  for (const std::uint64_t page : {0U, 1U, 512U, 1024U}) {
    Event event = access(0, page);
    event.write = page == 1;
    list.put(event);
  }
  config::UvmConfig config = serial("none");
  config.write_back_clean = false;
  const UvmReport report = replayed(config, list, 4 * kMi);
  EXPECT_EQ(report.total.of(Cause::eviction), 1U);
  EXPECT_EQ(report.total.dropped, 1U);
}

TEST(UvmService, ExplicitPrefetchSavesTheFaults) {
  EventList list;
  list.put(object(4 * kMi));
  list.put(range(EventKind::prefetch, 0, 1024));
  for (std::uint64_t page = 0; page < 1024; ++page) {
    list.put(access(0, page));
  }
  Event back = range(EventKind::prefetch, 0, 512);
  back.to_device = false;
  list.put(back);
  const UvmReport report = replayed(serial("none"), list);
  EXPECT_EQ(report.total.raw_faults, 0U);
  EXPECT_EQ(report.total.of(Cause::hint), 1024U);
  EXPECT_EQ(report.total.of(Cause::hint_out), 512U);
  EXPECT_EQ(report.end_pages, 512U);
}

TEST(UvmService, AdviceIsFollowed) {
  EventList list;
  list.put(object(4 * kMi));
  Event advice = range(EventKind::advise, 0, 512);
  advice.advice = Advice::preferred_gpu;
  list.put(advice);
  advice = range(EventKind::advise, 512, 512);
  advice.advice = Advice::accessed_by;
  list.put(advice);
  list.put(access(0, 77));
  list.put(access(0, 600));
  list.put(access(0, 600));
  const UvmReport report = replayed(serial("tbn-driver"), list);
  EXPECT_EQ(report.total.arrived(), 512U);  // all of the preferred block at its first touch
  EXPECT_EQ(report.total.remote, 2U);
}

TEST(UvmService, CpuAndGpuThatFightArePutOffThenPinned) {
  EventList list;
  list.put(object(2 * kMi));
  for (std::uint64_t i = 0; i < 60; ++i) {
    list.put(access(i * 1000, 5));
    list.put(access(i * 1000, 5, EventKind::cpu));
  }
  config::UvmConfig config = serial("none");
  const UvmReport found = replayed(config, list);
  EXPECT_EQ(found.total.throttles, 10U);
  EXPECT_GE(found.total.pins, 1U);
  EXPECT_GT(found.total.remote, 30U);
  config.thrashing = false;
  const UvmReport off = replayed(config, list);
  EXPECT_EQ(off.total.of(Cause::cpu), 60U);
  EXPECT_EQ(off.total.remote, 0U);
}

TEST(UvmService, CountersBringWhatIsUsedOverTheLink) {
  std::vector<std::uint64_t> pages(300, 3);
  config::UvmConfig config = serial("none");
  config.remote = "always";
  EXPECT_EQ(replayed(config, reads(2 * kMi, pages)).total.remote, 300U);
  config.counters = true;
  const UvmReport report = replayed(config, reads(2 * kMi, pages));
  EXPECT_EQ(report.total.remote, 256U);
  EXPECT_EQ(report.total.of(Cause::counter), 16U);
}

TEST(UvmService, AccessesInFlightWaitForTheirPage) {
  // Page 1 comes along with page 0; an access before the batch ends must wait for its end.
  EventList list;
  list.put(object(2 * kMi));
  list.put(access(0, 0));
  list.put(access(50'000, 1));
  list.put(access(50'000, 200));
  config::UvmConfig config = serial("sequential");
  config.outstanding = 8;
  const UvmReport report = replayed(config, list);
  EXPECT_EQ(report.total.unique_faults, 2U);
  EXPECT_EQ(report.total.accesses, 3U);
  EXPECT_GE(report.total.raw_faults, 3U);
}

}  // namespace
}  // namespace wg::host::uvm
