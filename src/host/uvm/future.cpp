#include "host/uvm/future.hpp"

namespace wg::host::uvm {

void Future::close() {
  next_.assign(pages_.size(), kNotAgain);
  for (std::uint64_t tick = pages_.size(); tick-- > 0;) {
    const std::uint64_t page = pages_[tick];
    if (page >= first_.size()) {
      first_.resize(page + 1, kNotAgain);
    }
    next_[tick] = first_[page];
    first_[page] = tick;
  }
}

}  // namespace wg::host::uvm
