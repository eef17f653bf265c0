// The part that decides what leaves the device when room is needed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/uvm/prefetcher.hpp"

namespace wg::host::uvm {

struct Victim {
  std::uint32_t block = 0;
  PageMask pages;  ///< resident; empty when nothing may go
};

class Evictor {
 public:
  virtual ~Evictor() = default;
  /// A GPU access to a resident page. Called only when `watches()`.
  virtual void accessed(const Memory&, BlockPage, std::uint64_t /*tick*/) {}
  [[nodiscard]] virtual bool watches() const { return false; }
  /// The block was made resident for a fault, a prefetch or a hint; `arrived` may be empty.
  virtual void serviced(const Memory& memory, std::uint32_t block, const PageMask& arrived) = 0;
  /// `pages` left; the block has none left when `memory.find` says so.
  virtual void left(const Memory& memory, std::uint32_t block, const PageMask& pages) = 0;
  /// Bytes of state that the real thing would keep for all managed memory: two pointers of a list entry for
  /// what is ordered by recency, a time where an order inside it is needed.
  [[nodiscard]] virtual std::uint64_t metadata_bytes(const Memory&) const { return 0; }
  /// What it remembers.
  virtual void archive(Archive& archive) = 0;
  /// What goes next. Never a page of `keep`; with chunk accounting a whole block, never one of `keep`.
  virtual Victim choose(const Memory& memory, const Plan& keep) = 0;
};

/// As make_prefetcher.
std::unique_ptr<Evictor> make_evictor(std::string_view name, const PartContext& context);
std::vector<std::string> evictor_names();
/// Whether memory is counted in chunks by default with this evictor: those that take whole blocks by fault
/// order, as the driver does.
bool counts_chunks(std::string_view evictor);
/// Whether it is, as `uvm.accounting` and the evictor say.
bool counts_in_chunks(const config::UvmConfig& config);

}  // namespace wg::host::uvm
