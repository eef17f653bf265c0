// Which line of a set makes room: the part `l2.replacement`.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wg::mem {

/// Decides the victim of one cache's sets. Deterministic: the same calls give the same answers.
class Replacement {
 public:
  virtual ~Replacement() = default;

  /// A line in use was used again, or a new one came in. `who` is the task or item id of the requester.
  virtual void touch(std::uint32_t set, std::uint32_t way, std::uint32_t who) = 0;
  /// Picks one of `candidates` (bit per way, at least one). Only asked when no way of the set is empty.
  virtual std::uint32_t victim(std::uint32_t set, std::uint64_t candidates, std::uint32_t who) = 0;
  /// Appends what decides future victims.
  virtual void save(std::vector<std::uint8_t>& out) const = 0;
  /// Takes back what `save` wrote for the same geometry; returns the bytes consumed, 0 when they are not
  /// such.
  virtual std::size_t load(std::span<const std::uint8_t> in) = 0;
  /// As if nothing had ever been touched.
  virtual void clear() = 0;
};

/// `name` as in the machine file: lru, random, plru (tree; ways rounded up to a power of two). Throws
/// wg::Error for another name. `ways` in 1..64.
std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t sets, std::uint32_t ways,
                                              std::uint64_t seed);

/// Names that make_replacement knows, for the checker of machine files.
std::vector<std::string> replacement_names();

}  // namespace wg::mem
