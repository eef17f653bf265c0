#include "dataset.hpp"

#include <zlib.h>

#include <memory>

#include "base/error.hpp"

namespace {

constexpr std::uint32_t kSide = 28;
constexpr float kMean = 0.2860F;
constexpr float kDeviation = 0.3530F;

class Idx {
 public:
  explicit Idx(std::string path) : path_(std::move(path)), file_(gzopen(path_.c_str(), "rb"), gzclose) {
    if (file_ == nullptr) {
      throw wg::Error(
          {.where = path_, .expected = "a file (Debian: dataset-fashion-mnist)", .found = "none"});
    }
  }

  std::uint32_t number() {
    const std::vector<unsigned char> b = bytes(4);
    return std::uint32_t{b[0]} << 24U | std::uint32_t{b[1]} << 16U | std::uint32_t{b[2]} << 8U | b[3];
  }

  void expect(std::uint32_t wanted, const char* what) {
    if (const std::uint32_t found = number(); found != wanted) {
      throw wg::Error({.where = path_, .expected = what, .found = std::to_string(found)});
    }
  }

  std::vector<unsigned char> bytes(std::size_t count) {
    std::vector<unsigned char> out(count);
    if (gzread(file_.get(), out.data(), static_cast<unsigned>(count)) != static_cast<int>(count)) {
      throw wg::Error({.where = path_, .expected = "more data", .found = "its end"});
    }
    return out;
  }

 private:
  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

}  // namespace

Dataset read_dataset(const std::string& folder, const std::string& part) {
  Dataset data;
  Idx images(folder + "/" + part + "-images-idx3-ubyte.gz");
  images.expect(0x803, "an IDX file of images");
  data.count = images.number();
  images.expect(kSide, "28 rows");
  images.expect(kSide, "28 columns");
  for (const unsigned char pixel : images.bytes(std::size_t{data.count} * kSide * kSide)) {
    data.images.push_back((static_cast<float>(pixel) / 255.0F - kMean) / kDeviation);
  }
  Idx labels(folder + "/" + part + "-labels-idx1-ubyte.gz");
  labels.expect(0x801, "an IDX file of labels");
  labels.expect(data.count, "as many labels as images");
  for (const unsigned char label : labels.bytes(data.count)) {
    data.labels.push_back(label);
  }
  return data;
}
