// How long a memory copy takes.
#include "host/link.hpp"

#include <gtest/gtest.h>

namespace wg::host {
namespace {

trace::Copy copy(trace::CopyKind kind, std::uint64_t bytes) { return {kind, 0, Bytes{bytes}}; }

constexpr config::LinkConfig kLink{
    .timed = true, .latency_ns = 1'500, .to_device = 12'000'000'000, .to_host = 6'000'000'000};

TEST(HostLink, AFixedCostAndTheBytesOverTheBandwidth) {
  const HostLink link(kLink);
  EXPECT_EQ(link.duration_ps(copy(trace::CopyKind::host_to_device, 12'000)), 1'500'000U + 1'000'000U);
  EXPECT_EQ(link.duration_ps(copy(trace::CopyKind::device_to_host, 12'000)), 1'500'000U + 2'000'000U);
  EXPECT_EQ(link.duration_ps(copy(trace::CopyKind::host_to_device, 0)), 1'500'000U);
}

TEST(HostLink, RoundsUpToAPicosecond) {
  const HostLink link(kLink);
  EXPECT_EQ(link.duration_ps(copy(trace::CopyKind::host_to_device, 1)), 1'500'000U + 84U);  // 83.3
}

TEST(HostLink, LargeCopiesDoNotOverflow) {
  const HostLink link(kLink);
  const std::uint64_t tib = std::uint64_t{1} << 40;
  const std::uint64_t expected = 1'500'000 + (tib * 1'000 + 11) / 12;
  EXPECT_EQ(link.duration_ps(copy(trace::CopyKind::host_to_device, tib)), expected);
}

TEST(HostLink, CopiesInsideTheDeviceAndUntimedLinksAreFree) {
  EXPECT_EQ(HostLink(kLink).duration_ps(copy(trace::CopyKind::device_to_device, 1'000'000)), 0U);
  config::LinkConfig untimed = kLink;
  untimed.timed = false;
  EXPECT_EQ(HostLink(untimed).duration_ps(copy(trace::CopyKind::host_to_device, 1'000'000)), 0U);
}

}  // namespace
}  // namespace wg::host
