// A sweep gives what single runs give, keeps what finished, and does not depend on threads.
#include "study/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "config/reader.hpp"
#include "gpu/simulation.hpp"
#include "kernels/catalogue.hpp"
#include "report/sweep.hpp"

namespace wg::study {
namespace {

using testing::HasSubstr;

trace::Workload open(const config::Machine& machine) {
  return kernels::open_builder("kernel:reduce?n=20000", machine.sm_version);
}

report::SweepReport asked() {
  report::SweepReport report;
  report.gpu = "v100";
  report.workload = "kernel:reduce?n=20000";
  report.workload_hash = "00000000000000ab";
  report.axes = {parse_axis("l2.latency=60,200"), parse_axis("sm.count=10,20,40")};
  report.points = plan(report.axes, false);
  report.machine_hashes.resize(report.points.size());
  report.outcomes.resize(report.points.size());
  return report;
}

std::vector<config::Machine> machines_of(report::SweepReport& report) {
  std::vector<config::Machine> machines;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    machines.push_back(config::load_machine("v100", report.points[i], {WG_SOURCE_DIR "/gpus"}));
    report.machine_hashes[i] = std::to_string(config::machine_hash(machines[i]));
  }
  return machines;
}

TEST(Sweep, GivesWhatSingleRunsGiveForAnyThreads) {
  report::SweepReport one = asked();
  const std::vector<config::Machine> machines = machines_of(one);
  sweep(one.outcomes, machines, open, {.threads = 1});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    ASSERT_EQ(one.outcomes[i].state, State::done);
    EXPECT_EQ(one.outcomes[i].figures, figures_of(gpu::run(machines[i], open(machines[i]), {})));
  }
  EXPECT_GT(one.outcomes[3].figures.cycles, one.outcomes[0].figures.cycles);
  EXPECT_LT(one.speed(3), 1);
  EXPECT_EQ(one.speed(0), 1);
  const gpu::RunResult first = gpu::run(machines[0], open(machines[0]), {});
  ASSERT_EQ(first.kernels.size(), 1U);
  for (const gpu::Limit& limit : first.kernels[0].limits) {
    const Figures& figures = one.outcomes[0].figures;
    const double share = limit.name == "DRAM bandwidth"             ? figures.dram_share
                         : limit.name == "L2 bandwidth"             ? figures.l2_share
                         : &limit == first.kernels[0].limits.data() ? figures.nearest_limit_share
                                                                    : limit.share();
    EXPECT_DOUBLE_EQ(share, limit.share()) << limit.name;
  }
  EXPECT_GT(one.outcomes[0].figures.dram_share + one.outcomes[0].figures.l2_share, 0);
  report::SweepReport many = asked();
  static_cast<void>(machines_of(many));
  std::vector<std::size_t> order;
  sweep(many.outcomes, machines, open,
        {.threads = 4, .finished = [&order](std::size_t i) { order.push_back(i); }});
  EXPECT_EQ(order.size(), machines.size());
  EXPECT_EQ(report::sweep_json(many), report::sweep_json(one));
  EXPECT_EQ(report::sweep_text(many), report::sweep_text(one));
  EXPECT_EQ(report::sweep_csv(many), report::sweep_csv(one));
}

TEST(Sweep, APointThatFailsLeavesTheOthers) {
  report::SweepReport report = asked();
  const std::vector<config::Machine> machines = machines_of(report);
  const auto some = [](const config::Machine& machine) {
    if (machine.sm.count == 20) {
      throw Error({.where = "w", .expected = "luck", .found = "\"none\""});
    }
    return open(machine);
  };
  sweep(report.outcomes, machines, some, {.threads = 2});
  for (std::size_t i = 0; i < machines.size(); ++i) {
    EXPECT_EQ(report.outcomes[i].state, i % 3 == 1 ? State::failed : State::done) << i;
  }
  EXPECT_THAT(report::sweep_text(report), HasSubstr("point 5 failed: w: expected luck, found \"none\""));
  EXPECT_THAT(report::sweep_csv(report), HasSubstr("found \"\"none\"\"\"\n"));
}

TEST(Sweep, GoesOnFromWhatIsFinished) {
  report::SweepReport whole = asked();
  const std::vector<config::Machine> machines = machines_of(whole);
  std::atomic<bool> stop{false};
  std::size_t finished = 0;
  sweep(whole.outcomes, machines, open,
        {.threads = 1, .stop = &stop, .finished = [&](std::size_t) { stop = ++finished == 2; }});
  EXPECT_EQ(whole.outcomes[1].state, State::done);
  EXPECT_EQ(whole.outcomes[2].state, State::waiting);
  EXPECT_THAT(report::sweep_text(whole), HasSubstr("NOT COMPLETE: 4 points not run"));
  const std::string saved = report::sweep_json(whole);

  report::SweepReport again = asked();
  static_cast<void>(machines_of(again));
  report::resume_sweep(again, saved, "saved.json");
  EXPECT_EQ(again.outcomes[1].figures, whole.outcomes[1].figures);
  std::vector<std::size_t> run;
  sweep(again.outcomes, machines, open,
        {.threads = 1, .finished = [&run](std::size_t i) { run.push_back(i); }});
  EXPECT_THAT(run, testing::ElementsAre(2U, 3U, 4U, 5U));

  report::SweepReport other = asked();
  other.workload_hash = "00000000000000cd";
  EXPECT_THROW(report::resume_sweep(other, saved, "saved.json"), Error);
  other = asked();
  other.cold = true;
  EXPECT_THROW(report::resume_sweep(other, saved, "saved.json"), Error);
  EXPECT_THROW(report::resume_sweep(again, "{\"run\": 3}", "saved.json"), Error);
  EXPECT_THROW(report::resume_sweep(again, saved.substr(0, 90), "saved.json"), Error);
}

TEST(Sweep, FaultsOfTheProgramAreThrown) {
  report::SweepReport report = asked();
  const std::vector<config::Machine> machines = machines_of(report);
  const auto broken = [](const config::Machine&) -> trace::Workload { throw std::logic_error("ours"); };
  EXPECT_THROW(sweep(report.outcomes, machines, broken, {.threads = 3}), std::logic_error);
}

}  // namespace
}  // namespace wg::study
