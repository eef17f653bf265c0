// NumPy's .npy arrays (NEP 1, format versions 1 to 3): header and raw bytes, numbers are not touched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wg {

/// Describes an array. Only plain numbers: booleans, integers, floats, complex and void ('V2' holds
/// bfloat16).
struct NpyHeader {
  std::string descr;  ///< byte order, kind and bytes, as NumPy writes it: "<f4"
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;

  [[nodiscard]] std::size_t element_bytes() const;
  /// Product of the shape; 1 for a scalar.
  [[nodiscard]] std::uint64_t elements() const;
  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

struct NpyArray {
  NpyHeader header;
  std::span<const std::byte> preamble;  ///< all before the data; like them a part of the bytes that were read
  std::span<const std::byte> data;
};

/// Reads a file in memory. `name` is for messages. Throws wg::Error with the byte offset of what is wrong:
/// not an array, an unknown kind of element, or data that are not exactly as long as the shape says.
NpyArray read_npy(std::span<const std::byte> file, const std::string& name);

/// The dictionary of a header, as NumPy spells it: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3),
/// }
std::string npy_dictionary(const NpyHeader& header);
/// The inverse. `offset` is where `text` begins in the file `name`.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& name, std::size_t offset);

/// What comes before the data in a file: the bytes that numpy.save writes, a multiple of 64.
std::string npy_preamble(const NpyHeader& header);

}  // namespace wg
