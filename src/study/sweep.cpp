#include "study/sweep.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

#include "base/error.hpp"
#include "gpu/simulation.hpp"

namespace wg::study {
namespace {

/// Mean shares of the limits over kernels, by their cycles.
class Limits {
 public:
  void add(const gpu::KernelResult& kernel) {
    cycles_ += static_cast<double>(kernel.cycles);
    for (const gpu::Limit& limit : kernel.limits) {
      auto at =
          std::find_if(sums_.begin(), sums_.end(), [&](const Sum& sum) { return sum.name == limit.name; });
      at = at == sums_.end() ? sums_.insert(at, {limit.name, 0}) : at;
      at->share += limit.share() * static_cast<double>(kernel.cycles);
    }
  }
  void write(Figures& out) const {
    if (cycles_ == 0 || sums_.empty()) {
      return;
    }
    for (const Sum& sum : sums_) {
      const double share = sum.share / cycles_;
      if (out.nearest_limit.empty() || share > out.nearest_limit_share) {
        out.nearest_limit = sum.name;
        out.nearest_limit_share = share;
      }
      out.dram_share = sum.name == "DRAM bandwidth" ? share : out.dram_share;
      out.l2_share = sum.name == "L2 bandwidth" ? share : out.l2_share;
    }
  }

 private:
  struct Sum {
    std::string name;
    double share;
  };
  std::vector<Sum> sums_;
  double cycles_ = 0;
};

/// What the threads of a sweep share.
class Sweep {
 public:
  Sweep(std::vector<Outcome>& outcomes, std::span<const config::Machine> machines,
        const std::function<trace::Workload(const config::Machine&)>& open, const SweepOptions& options)
      : outcomes_(outcomes), machines_(machines), open_(open), options_(options) {}

  void run() {
    const auto waiting = std::count_if(outcomes_.begin(), outcomes_.end(),
                                       [](const Outcome& one) { return one.state == State::waiting; });
    const auto points = static_cast<std::uint32_t>(waiting);
    const std::uint32_t workers = std::min(std::max(options_.threads, 1U), points);
    if (workers == 0) {
      return;
    }
    threads_each_ = std::max(options_.threads / workers, 1U);
    {
      std::vector<std::jthread> others;
      for (std::uint32_t i = 1; i < workers; ++i) {
        others.emplace_back([this] { work(); });
      }
      work();
    }
    if (fault_) {
      std::rethrow_exception(fault_);
    }
  }

 private:
  void work() {
    try {
      for (std::size_t i = take(); i < outcomes_.size(); i = take()) {
        finish(i, simulate(machines_[i]));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      fault_ = fault_ ? fault_ : std::current_exception();
    }
  }

  [[nodiscard]] bool stopped() const {
    return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
  }

  /// The next point to run; past the end when there is none.
  std::size_t take() {
    const std::lock_guard lock(mutex_);
    while (next_ < outcomes_.size() && outcomes_[next_].state != State::waiting) {
      ++next_;
    }
    return stopped() || fault_ ? outcomes_.size() : std::min(next_++, outcomes_.size());
  }

  [[nodiscard]] Outcome simulate(const config::Machine& machine) const {
    gpu::RunOptions options;
    options.threads = threads_each_;
    options.kernels = options_.kernels;
    options.cold = options_.cold;
    options.profile_size = 0;
    options.stop = options_.stop;
    options.keep_state = false;
    try {
      const gpu::RunResult result = gpu::run(machine, open_(machine), options);
      return result.complete ? Outcome{State::done, figures_of(result), {}, result.warnings} : Outcome{};
    } catch (const Error& error) {
      return {State::failed, {}, error.what()};
    } catch (const std::bad_alloc&) {
      return {State::failed, {}, "there is not enough memory"};
    }
  }

  void finish(std::size_t index, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    outcomes_[index] = std::move(outcome);
    if (options_.finished && outcomes_[index].state != State::waiting) {
      options_.finished(index);
    }
  }

  std::vector<Outcome>& outcomes_;
  std::span<const config::Machine> machines_;
  const std::function<trace::Workload(const config::Machine&)>& open_;
  const SweepOptions& options_;
  std::uint32_t threads_each_ = 1;
  std::mutex mutex_;  ///< guards what follows, and outcomes_
  std::size_t next_ = 0;
  std::exception_ptr fault_;
};

}  // namespace

Figures figures_of(const gpu::RunResult& result) {
  Figures out;
  Limits limits;
  for (const gpu::KernelResult& kernel : result.kernels) {
    out.cycles += kernel.cycles;
    out.time_ps += kernel.time_ps;
    out.warp_instructions += kernel.warp_instructions;
    out.thread_instructions += kernel.thread_instructions;
    limits.add(kernel);
  }
  limits.write(out);
  const auto most = std::max_element(result.slots.begin(), result.slots.end());
  if (*most != 0 && result.issue_slots != 0) {
    out.main_stall = sm::name_of(static_cast<sm::Stall>(most - result.slots.begin()));
    out.main_stall_share = static_cast<double>(*most) / static_cast<double>(result.issue_slots);
  }
  return out;
}

void sweep(std::vector<Outcome>& outcomes, std::span<const config::Machine> machines,
           const std::function<trace::Workload(const config::Machine&)>& open, const SweepOptions& options) {
  Sweep(outcomes, machines, open, options).run();
}

}  // namespace wg::study
