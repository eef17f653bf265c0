#include "mem/replacement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "mem/bytes.hpp"

namespace wg::mem {
namespace {

/// Least recently used, exact, by time stamps.
class Lru final : public Replacement {
 public:
  Lru(std::uint32_t sets, std::uint32_t ways, std::uint64_t /*seed*/)
      : ways_(ways), stamps_(std::size_t{sets} * ways) {}

  void touch(std::uint32_t set, std::uint32_t way, std::uint32_t /*who*/) override {
    if (now_ == std::numeric_limits<std::uint32_t>::max()) {
      renumber();
    }
    stamps_[std::size_t{set} * ways_ + way] = ++now_;
  }

  std::uint32_t victim(std::uint32_t set, std::uint64_t candidates, std::uint32_t /*who*/) override {
    assert(candidates != 0);
    // No branches: which way is oldest cannot be predicted.
    const std::uint32_t* stamps = &stamps_[std::size_t{set} * ways_];
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t way = 0; way < ways_; ++way) {
      const std::uint64_t barred = (candidates >> way & 1) - 1;  // all ones when not a candidate
      best = std::min(best, (std::uint64_t{stamps[way]} << 6 | way) | barred);
    }
    return static_cast<std::uint32_t>(best & 63);
  }

  void save(std::vector<std::uint8_t>& out) const override {
    const std::size_t before = out.size();
    out.resize(before + stamps_.size());  // zeros: never touched
    for (std::size_t first = 0; first < stamps_.size(); first += ways_) {
      const auto set = stamps_.begin() + static_cast<std::ptrdiff_t>(first);
      if (std::any_of(set, set + ways_, [](std::uint32_t stamp) { return stamp != 0; })) {
        const std::array<std::uint8_t, 64> ranks = order(first);
        std::copy_n(ranks.begin(), ways_, out.begin() + static_cast<std::ptrdiff_t>(before + first));
      }
    }
  }

  std::size_t load(std::span<const std::uint8_t> in) override {
    if (in.size() < stamps_.size()) {
      return 0;
    }
    std::copy_n(in.begin(), stamps_.size(), stamps_.begin());
    now_ = ways_;
    return stamps_.size();
  }

  void clear() override {
    std::fill(stamps_.begin(), stamps_.end(), 0);
    now_ = 0;
  }

 private:
  /// Rank of each way of the set at `first`: 0 = never touched, else 1.. from the oldest.
  [[nodiscard]] std::array<std::uint8_t, 64> order(std::size_t first) const {
    std::array<std::uint8_t, 64> ranks{};
    for (std::size_t way = 0; way < ways_; ++way) {
      const std::uint32_t stamp = stamps_[first + way];
      std::uint32_t older = 0;
      for (std::size_t other = 0; other < ways_; ++other) {
        older += stamps_[first + other] - 1 < stamp - 1 ? 1U : 0U;  // 0 becomes the largest
      }
      ranks[way] = static_cast<std::uint8_t>(stamp == 0 ? 0 : 1 + older);
    }
    return ranks;
  }

  void renumber() {
    for (std::size_t first = 0; first < stamps_.size(); first += ways_) {
      const std::array<std::uint8_t, 64> ranks = order(first);
      std::copy_n(ranks.begin(), ways_, stamps_.begin() + static_cast<std::ptrdiff_t>(first));
    }
    now_ = ways_;
  }

  std::uint32_t ways_;
  std::vector<std::uint32_t> stamps_;
  std::uint32_t now_ = 0;
};

/// Any candidate with equal chance, from one generator per cache.
class Random final : public Replacement {
 public:
  Random(std::uint32_t /*sets*/, std::uint32_t /*ways*/, std::uint64_t seed) : seed_(seed) {}

  void touch(std::uint32_t /*set*/, std::uint32_t /*way*/, std::uint32_t /*who*/) override {}

  std::uint32_t victim(std::uint32_t /*set*/, std::uint64_t candidates, std::uint32_t /*who*/) override {
    assert(candidates != 0);
    std::uint64_t skip = Rng(seed_ + draws_++).below(static_cast<std::uint64_t>(std::popcount(candidates)));
    for (; skip > 0; --skip) {
      candidates &= candidates - 1;
    }
    return static_cast<std::uint32_t>(std::countr_zero(candidates));
  }

  void save(std::vector<std::uint8_t>& out) const override { put(out, draws_); }

  std::size_t load(std::span<const std::uint8_t> in) override {
    ByteReader reader(in);
    const auto draws = reader.get<std::uint64_t>();
    if (!reader.ok()) {
      return 0;
    }
    draws_ = draws;
    return reader.position();
  }

  void clear() override { draws_ = 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
};

/// Tree of bits: each inner node points to the half not used last.
class TreePlru final : public Replacement {
 public:
  TreePlru(std::uint32_t sets, std::uint32_t ways, std::uint64_t /*seed*/)
      : leaves_(std::bit_ceil(ways)), trees_(sets) {}

  void touch(std::uint32_t set, std::uint32_t way, std::uint32_t /*who*/) override {
    std::uint64_t& tree = trees_[set];
    for (std::uint32_t node = leaves_ + way; node > 1; node /= 2) {
      const std::uint64_t bit = std::uint64_t{1} << (node / 2);
      tree = (node & 1) != 0 ? tree & ~bit : tree | bit;  // away from this child
    }
  }

  /// Follows the bits, but never into a half without candidates.
  std::uint32_t victim(std::uint32_t set, std::uint64_t candidates, std::uint32_t /*who*/) override {
    assert(candidates != 0);
    std::uint32_t node = 1;
    std::uint32_t first = 0;
    for (std::uint32_t half = leaves_ / 2; half > 0; half /= 2) {
      const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
      const bool left = (candidates >> first & mask) != 0;
      const bool right = (candidates >> (first + half) & mask) != 0;
      const bool go_right = right && (!left || (trees_[set] >> node & 1) != 0);
      node = 2 * node + (go_right ? 1 : 0);
      first += go_right ? half : 0;
    }
    return first;
  }

  void save(std::vector<std::uint8_t>& out) const override {
    for (const std::uint64_t tree : trees_) {
      put(out, tree);
    }
  }

  std::size_t load(std::span<const std::uint8_t> in) override {
    ByteReader reader(in);
    for (std::uint64_t& tree : trees_) {
      tree = reader.get<std::uint64_t>();
    }
    return reader.ok() ? reader.position() : 0;
  }

  void clear() override { std::fill(trees_.begin(), trees_.end(), 0); }

 private:
  std::uint32_t leaves_;
  std::vector<std::uint64_t>
      trees_;  ///< bit n = node n of the set's tree, root = 1; 1 = victim is to the right
};

template <class Part>
std::unique_ptr<Replacement> make(std::uint32_t sets, std::uint32_t ways, std::uint64_t seed) {
  return std::make_unique<Part>(sets, ways, seed);
}

struct Row {
  std::string_view name;
  std::unique_ptr<Replacement> (*make)(std::uint32_t sets, std::uint32_t ways, std::uint64_t seed);
};
constexpr std::array kParts{Row{"lru", make<Lru>}, Row{"random", make<Random>}, Row{"plru", make<TreePlru>}};

}  // namespace

std::unique_ptr<Replacement> make_replacement(std::string_view name, std::uint32_t sets, std::uint32_t ways,
                                              std::uint64_t seed) {
  assert(ways >= 1 && ways <= 64);
  for (const Row& row : kParts) {
    if (row.name == name) {
      return row.make(sets, ways, seed);
    }
  }
  throw Error(Problem{.where = "l2.replacement",
                      .expected = fmt::format("one of {}", fmt::join(replacement_names(), ", ")),
                      .found = std::string(name),
                      .advice = {}});
}

std::vector<std::string> replacement_names() {
  std::vector<std::string> names;
  for (const Row& row : kParts) {
    names.emplace_back(row.name);
  }
  return names;
}

}  // namespace wg::mem
