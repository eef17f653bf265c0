// Cost of reducing one warp's addresses to lines and bank-conflict passes.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "config/machine.hpp"
#include "mem/coalescer.hpp"
#include "mem/partition.hpp"
#include "trace/workload.hpp"

namespace wg::mem {
namespace {

constexpr std::uint32_t kAllLanes = 0xFFFF'FFFF;

trace::AddressForm strided(std::int64_t stride) {
  trace::AddressForm form;
  form.base = 0x7F1A'2000'0000;
  form.stride = stride;
  return form;
}

void coalesce_strided(benchmark::State& state) {
  const trace::AddressForm form = strided(state.range(0));
  LineList lines;
  for (auto _ : state) {
    lines.clear();
    coalesce(form, kAllLanes, 4, {}, true, false, lines);
    benchmark::DoNotOptimize(lines.sector_count());
  }
}
BENCHMARK(coalesce_strided)->Arg(4)->Arg(32)->Arg(4096);

void coalesce_random(benchmark::State& state) {
  Rng rng(1);
  std::vector<std::uint64_t> addresses(32);
  for (std::uint64_t& address : addresses) {
    address = rng.below(std::uint64_t{32} << 20) * 4;
  }
  trace::AddressForm form;
  form.strided = false;
  form.list = addresses;
  LineList lines;
  for (auto _ : state) {
    lines.clear();
    coalesce(form, kAllLanes, 4, {}, true, false, lines);
    benchmark::DoNotOptimize(lines.sector_count());
  }
}
BENCHMARK(coalesce_random);

void shared_memory_passes(benchmark::State& state) {
  const trace::AddressForm form = strided(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(shared_passes(form, kAllLanes, 4, 32));
  }
}
BENCHMARK(shared_memory_passes)->Arg(4)->Arg(128);

void address_map(benchmark::State& state) {
  const AddressMap map{config::Machine{}};
  std::uint64_t address = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.place(address));
    address += 32;
  }
}
BENCHMARK(address_map);

}  // namespace
}  // namespace wg::mem
