#include "stoppable.hpp"

#include <atomic>
#include <utility>

#include "base/error.hpp"
#include "interrupt.hpp"

namespace wg::app {
namespace {

/// Asks before each piece of work.
class Asker {
 public:
  explicit Asker(std::string outcome) : stop_(&stop_on_signals()), outcome_(std::move(outcome)) {}
  void ask() const {
    if (stop_->load(std::memory_order_relaxed)) {
      throw Error(Problem{.where = "interrupted: " + outcome_}, ExitCode::stopped);
    }
  }

 private:
  const std::atomic<bool>* stop_;
  std::string outcome_;
};

class Ctas final : public trace::CtaSource {
 public:
  Ctas(std::unique_ptr<trace::CtaSource> inner, Asker asker)
      : inner_(std::move(inner)), asker_(std::move(asker)) {}
  bool next(trace::CtaBlob& out) override {
    asker_.ask();
    return inner_->next(out);
  }

 private:
  std::unique_ptr<trace::CtaSource> inner_;
  Asker asker_;
};

class Kernel final : public trace::Kernel {
 public:
  Kernel(std::shared_ptr<const trace::Kernel> inner, Asker asker)
      : inner_(std::move(inner)), asker_(std::move(asker)) {}
  [[nodiscard]] const trace::KernelHeader& header() const override { return inner_->header(); }
  [[nodiscard]] std::unique_ptr<trace::CtaSource> open() const override {
    return std::make_unique<Ctas>(inner_->open(), asker_);
  }
  [[nodiscard]] std::unique_ptr<trace::CtaDecoder> decoder() const override { return inner_->decoder(); }

 private:
  std::shared_ptr<const trace::Kernel> inner_;
  Asker asker_;
};

class Source final : public host::uvm::EventSource {
 public:
  Source(std::unique_ptr<host::uvm::EventSource> inner, Asker asker)
      : inner_(std::move(inner)), asker_(std::move(asker)) {}
  bool next(host::uvm::Event& out) override {
    asker_.ask();
    return inner_->next(out);
  }
  [[nodiscard]] std::string where() const override { return inner_->where(); }

 private:
  std::unique_ptr<host::uvm::EventSource> inner_;
  Asker asker_;
};

class Sink final : public host::uvm::EventSink {
 public:
  Sink(host::uvm::EventSink& inner, Asker asker) : inner_(inner), asker_(std::move(asker)) {}
  void put(const host::uvm::Event& event) override {
    asker_.ask();
    inner_.put(event);
  }

 private:
  host::uvm::EventSink& inner_;
  Asker asker_;
};

}  // namespace

trace::Workload stoppable(trace::Workload workload, const std::string& outcome) {
  const Asker asker(outcome);
  for (trace::Command& command : workload.commands) {
    if (auto* kernel = std::get_if<std::shared_ptr<const trace::Kernel>>(&command)) {
      *kernel = std::make_shared<Kernel>(std::move(*kernel), asker);
    }
  }
  return workload;
}

std::unique_ptr<host::uvm::EventSource> stoppable(std::unique_ptr<host::uvm::EventSource> inner,
                                                  const std::string& outcome) {
  return std::make_unique<Source>(std::move(inner), Asker(outcome));
}

std::unique_ptr<host::uvm::EventSink> stoppable(host::uvm::EventSink& inner, const std::string& outcome) {
  return std::make_unique<Sink>(inner, Asker(outcome));
}

}  // namespace wg::app
