// Work that leaves nothing behind when it is stopped: the first piece after Ctrl-C throws wg::Error
// (stopped), and what was being written is removed on its way out.
#pragma once

#include <memory>
#include <string>

#include "host/uvm/event.hpp"
#include "trace/workload.hpp"

namespace wg::app {

/// The same workload; its CTAs ask for the signal. `outcome` is what the message says became of the work.
trace::Workload stoppable(trace::Workload workload, const std::string& outcome);

/// The same events from `inner`.
std::unique_ptr<host::uvm::EventSource> stoppable(std::unique_ptr<host::uvm::EventSource> inner,
                                                  const std::string& outcome);

/// Passes events on to `inner`, which must outlive it.
std::unique_ptr<host::uvm::EventSink> stoppable(host::uvm::EventSink& inner, const std::string& outcome);

}  // namespace wg::app
