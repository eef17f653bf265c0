// How dense activation maps are and how well they compress, by layer and training iteration.
//
// A file of densities has the columns iteration, layer, density and any of zvc, rle and deflate: raw bytes
// over compressed bytes. A column elements may stand for information. `warpgauge dnn densities` makes one
// from dumps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dnn/network.hpp"

namespace wg::dnn {

enum class Codec : std::uint8_t { none, zvc, rle, deflate };
std::string_view name_of(Codec codec);

/// ZVC of 32-bit elements: 1 / (density + 1/32).
double zvc_ratio(double density);

struct Density {
  double density = 1;  ///< non-zero elements by elements
  double zvc = 0;      ///< ratios; 0 = not measured
  double rle = 0;
  double deflate = 0;
  std::string where;  ///< file:line
};

class Densities {
 public:
  explicit Densities(const std::filesystem::path& path);

  [[nodiscard]] std::vector<std::uint64_t> iterations() const;
  /// The last recorded iteration that is not after `iteration`. Throws wg::Error when all are later.
  [[nodiscard]] std::uint64_t at_or_before(std::uint64_t iteration) const;
  /// Raw by compressed bytes for each buffer of the network. A row may name any layer that writes to the
  /// buffer; the last one that has a row counts, then a row for "*". The images, when no row names "data", do
  /// not shrink. Throws wg::Error that lists the maps without a row, and for RLE and deflate those without
  /// the measured ratio, and for a row that names no layer of the network.
  [[nodiscard]] std::vector<double> ratios(const Network& network, std::uint64_t iteration,
                                           Codec codec) const;
  /// Mean density of the buffers that `wanted` flags, by bytes.
  [[nodiscard]] double mean(const Network& network, std::uint64_t iteration,
                            const std::vector<bool>& wanted) const;

 private:
  [[nodiscard]] const Density* find(const Network& network, const Buffer& buffer,
                                    std::uint64_t iteration) const;

  void refuse_unknown_layers(const Network& network) const;

  std::string file_;
  std::map<std::uint64_t, std::map<std::string, Density, std::less<>>> rows_;
};

/// Activation dumps: NumPy arrays named LAYER_itITERATION.npy or LAYER_itITERATION_ANYTHING.npy. A folder is
/// searched with its sub-folders, whose names are parts of the layer's: fire2/squeeze1x1_it100.npy. Arrays of
/// one layer and iteration are taken together.
struct DumpRow {
  std::uint64_t iteration = 0;
  std::string layer;
  std::uint64_t elements = 0;
  std::uint64_t nonzeros = 0;
  std::uint64_t bytes = 0;
  std::uint64_t zvc_bytes = 0;  ///< compressed
  std::uint64_t rle_bytes = 0;
  std::uint64_t deflate_bytes = 0;
};

/// Measures dumps with the codecs zvc, rle16 and deflate in windows of 4 KiB, in the order of iterations and
/// names. Throws wg::Error for a name that does not fit and for what is no array.
std::vector<DumpRow> measure_dumps(std::span<const std::string> paths);
/// The rows as a file of densities.
std::string densities_csv(std::span<const DumpRow> rows);

}  // namespace wg::dnn
