// A file that says how well the data of copies compress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace wg::host::cdma {

/// How well some data compress.
struct Compressibility {
  enum class Kind : std::uint8_t { ratio, density };
  Kind kind = Kind::ratio;
  double value = 1;  ///< raw over compressed bytes; or the share of non-zero values, 0 to 1
  friend bool operator==(const Compressibility&, const Compressibility&) = default;
};

/// Consecutive bytes of a copy that compress alike.
struct Piece {
  Bytes bytes{0};
  Compressibility how;
};

/// Comma-separated values; the first line names the columns, '#' begins a comment. `density` or `ratio`, one
/// of them, is needed. With `address` and `bytes` (decimal or 0x...) a row is about a range of device memory,
/// and ranges do not overlap; without them the rows are about the copies over the link, in their order.
class Densities {
 public:
  /// Nothing is known.
  Densities() = default;
  /// Throws wg::Error with file and line; `name` is for messages.
  Densities(std::string_view text, const std::string& name);

  /// The pieces of the `index`-th copy (from 0) of `bytes` bytes at `address`; `otherwise` where the file
  /// says nothing. Their bytes add up to `bytes`.
  [[nodiscard]] std::vector<Piece> pieces(std::size_t index, std::uint64_t address, Bytes bytes,
                                          const Compressibility& otherwise) const;
  /// Some row is a density, which only ZVC turns into a size.
  [[nodiscard]] bool has_density() const { return has_density_; }
  [[nodiscard]] bool by_address() const { return by_address_; }
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

 private:
  struct Row {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Compressibility how;
  };
  std::vector<Row> rows_;  ///< in order of the file (of addresses, when it has them)
  bool by_address_ = false;
  bool has_density_ = false;
};

}  // namespace wg::host::cdma
