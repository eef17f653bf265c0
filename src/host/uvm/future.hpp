// The whole page stream, for the parts that know the future. Takes 16 bytes an access.
#pragma once

#include <cstdint>
#include <vector>

namespace wg::host::uvm {

inline constexpr std::uint64_t kNotAgain = ~std::uint64_t{0};

class Future {
 public:
  /// The next access, in stream order, to the page with this number among the pages of all objects.
  void add(std::uint64_t page) { pages_.push_back(page); }
  /// After the last access.
  void close();

  [[nodiscard]] std::uint64_t accesses() const { return pages_.size(); }
  [[nodiscard]] std::uint64_t page_at(std::uint64_t tick) const { return pages_[tick]; }
  /// Tick of the access after `tick` to the same page, or kNotAgain.
  [[nodiscard]] std::uint64_t next(std::uint64_t tick) const { return next_[tick]; }
  /// Tick of the first access to a page, or kNotAgain.
  [[nodiscard]] std::uint64_t first(std::uint64_t page) const {
    return page < first_.size() ? first_[page] : kNotAgain;
  }

 private:
  std::vector<std::uint64_t> pages_;
  std::vector<std::uint64_t> next_;
  std::vector<std::uint64_t> first_;
};

}  // namespace wg::host::uvm
