// Page events per second of the UVM replay on one core, and the memory it takes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>

#include "host/uvm/replay.hpp"

namespace {

using namespace wg::host::uvm;

/// Sweeps over an object, made as they are read: takes no memory.
class Sweeps final : public EventSource {
 public:
  Sweeps(std::uint64_t bytes, std::uint64_t rounds) : pages_(bytes / kPageBytes), left_(pages_ * rounds) {}
  bool next(Event& out) override {
    if (!declared_) {
      declared_ = true;
      out.kind = EventKind::object;
      out.count = pages_ * kPageBytes;
      out.name.assign(1, 'a');
      return true;
    }
    if (left_ == 0) {
      return false;
    }
    out.kind = EventKind::gpu;
    out.page = at_ = at_ + 1 == pages_ ? 0 : at_ + 1;
    out.time_ns += 10;
    --left_;
    return true;
  }
  [[nodiscard]] std::string where() const override { return "sweeps"; }

 private:
  std::uint64_t pages_;
  std::uint64_t left_;
  std::uint64_t at_ = 0;
  bool declared_ = false;
};

void measure(const char* prefetcher, const char* evictor, std::uint64_t gib, double over) {
  wg::config::UvmConfig config;
  config.prefetcher = prefetcher;
  config.evictor = evictor;
  const std::uint64_t bytes = gib << 30;
  ReplayOptions options;
  options.memory = wg::Bytes{static_cast<std::uint64_t>(static_cast<double>(bytes) / over)};
  const std::uint64_t rounds = std::max<std::uint64_t>(20'000'000 / (bytes / kPageBytes), 1);
  Sweeps source(bytes, rounds);
  const auto start = std::chrono::steady_clock::now();
  const UvmReport report = replay(config, source, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{:<11} {:<7} {:>3} GiB on {:>5.2f} x less: {:6.1f} M events/s, {} faults, peak RSS {} MiB\n",
             prefetcher, evictor, gib, over, static_cast<double>(report.total.accesses) / seconds * 1e-6,
             report.total.unique_faults, usage.ru_maxrss / 1024);
}

}  // namespace

int main() {
  measure("tbn-driver", "driver", 1, 0.5);
  measure("tbn-driver", "driver", 16, 1.25);
  measure("tbn", "tbne", 1, 1.25);
  measure("sequential", "lru-4k", 1, 1.25);
  measure("forest", "forest", 1, 0.5);
  return 0;
}
