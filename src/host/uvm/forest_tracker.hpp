// Forest's access time tracker and pattern detector: in which order the pages of each object are touched.
//
// Source: Lin, Feng, Cox, Jeon: Forest, ISCA 2025, at second hand. Ours: what "intensity" means (repeated
// accesses over all accesses), that touched pages add up over the rounds, and that an object keeps its last
// pattern until a new kernel's accesses say otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "config/uvm.hpp"
#include "host/uvm/space.hpp"

namespace wg::host::uvm {

/// Linear (either direction), high coverage with high or low intensity, low coverage.
enum class Pattern : std::uint8_t { linear_up, linear_down, dense_hot, dense_cold, sparse };
std::string_view name_of(Pattern pattern);

struct TreeGeometry {
  std::uint32_t tree_pages = 512;
  std::uint32_t leaf_pages = 16;
};
TreeGeometry geometry_of(Pattern pattern);

class ForestTracker {
 public:
  explicit ForestTracker(const config::UvmConfig& config) : config_(config) {}

  void add_object(const Object& object);
  /// A GPU access. Fits the object's pattern when it is due.
  void accessed(std::uint32_t object, std::uint64_t page);
  /// A kernel begins: tracking starts again; with speculation, patterns of its earlier launches come back.
  void kernel(const std::string& name);

  [[nodiscard]] Pattern pattern(std::uint32_t object) const { return objects_[object].pattern; }
  /// Order of the page's last access among those to its object, 0 = never.
  [[nodiscard]] std::uint32_t stamp(std::uint32_t object, std::uint64_t page) const {
    const std::vector<std::uint32_t>& stamps = objects_[object].stamps;
    return page < stamps.size() ? stamps[page] : 0;
  }
  /// Stamp of the object's last access.
  [[nodiscard]] std::uint32_t now(std::uint32_t object) const { return objects_[object].timer; }
  /// Order of the object's last access among those to all objects.
  [[nodiscard]] std::uint64_t recency(std::uint32_t object) const { return objects_[object].recency; }
  [[nodiscard]] std::uint64_t fits() const { return fits_; }
  void archive(Archive& archive);
  /// 117 bits for each of ten objects, for each kernel seen.
  [[nodiscard]] std::uint64_t metadata_bytes() const;

 private:
  struct Tracked {
    std::uint64_t pages = 0;
    std::vector<std::uint32_t> stamps;  ///< empty until the first access
    std::uint32_t timer = 0;
    std::uint32_t start = 0;    ///< stamps up to here are of earlier kernels
    std::uint32_t touched = 0;  ///< pages with later stamps
    std::uint32_t rounds = 0;
    bool ceased = false;
    Pattern pattern = Pattern::sparse;
    std::uint64_t recency = 0;
  };

  void detect(std::uint32_t object);
  [[nodiscard]] Pattern classify(const Tracked& object) const;

  config::UvmConfig config_;
  std::vector<Tracked> objects_;
  std::map<std::pair<std::string, std::uint32_t>, Pattern> known_;
  std::string kernel_;
  std::uint64_t clock_ = 0;
  std::uint64_t fits_ = 0;
  std::uint64_t kernels_ = 1;
};

}  // namespace wg::host::uvm
