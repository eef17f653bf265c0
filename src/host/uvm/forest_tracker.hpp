// Forest's access time tracker and pattern detector: in which order the pages of each object are touched.
//
// Source: Lin, Feng, Cox, Jeon: Forest, ISCA 2025, at second hand. Ours: what "intensity" means (visits that
// come back to a page, over all visits), that touched pages add up over the rounds, that tracking begins anew
// with each launch unless it speculates, and what speculation knows: a launch goes on where the last one of
// the same kernel stopped, a kernel not seen before takes each object's pattern from the kernel before it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
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
  /// A visit of the GPU to a page, `weight` accesses. Fits the object's pattern when it is due.
  void accessed(std::uint32_t object, std::uint64_t page, std::uint64_t weight = 1);
  /// A launch begins: tracking starts anew, or with speculation goes on from the last launch of this kernel.
  void kernel(const std::string& name);

  [[nodiscard]] Pattern pattern(std::uint32_t object) const { return objects_[object].profile.pattern; }
  /// Accesses to the object so far.
  [[nodiscard]] std::uint64_t accesses(std::uint32_t object) const { return objects_[object].accesses; }
  /// Accesses to all objects, and how many there were at the object's last one.
  [[nodiscard]] std::uint64_t clock() const { return clock_; }
  [[nodiscard]] std::uint64_t recency(std::uint32_t object) const { return objects_[object].recency; }
  [[nodiscard]] std::uint64_t fits() const { return fits_; }
  void archive(Archive& archive);
  /// 117 bits for each of ten objects; with speculation for each kernel seen.
  [[nodiscard]] std::uint64_t metadata_bytes() const;

 private:
  /// What is known of an object in one kernel.
  struct Profile {
    std::vector<std::uint32_t> stamps;  ///< of each page the number of its last visit; empty before the first
                                        ///< one and once the pattern is settled
    std::uint32_t visits = 0;
    std::uint64_t accesses = 0;
    std::uint32_t rounds = 0;
    bool ceased = false;
    Pattern pattern = Pattern::sparse;
  };
  struct Tracked {
    std::uint64_t pages = 0;
    std::uint64_t accesses = 0;
    std::uint64_t recency = 0;
    Profile profile;
  };

  static void archive(Archive& archive, Profile& profile);
  [[nodiscard]] Pattern classify(const Profile& profile, std::uint64_t pages) const;

  config::UvmConfig config_;
  std::vector<Tracked> objects_;
  std::map<std::string, std::vector<Profile>> known_;  ///< by kernel and object, with speculation
  std::string kernel_;                                 ///< the current one; empty before the first
  std::uint64_t clock_ = 0;
  std::uint64_t fits_ = 0;
};

}  // namespace wg::host::uvm
