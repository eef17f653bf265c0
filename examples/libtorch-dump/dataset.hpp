// Fashion-MNIST as Debian's package dataset-fashion-mnist ships it: gzipped IDX files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Dataset {
  std::uint32_t count = 0;
  std::vector<float> images;         ///< count x 28 x 28, mean 0 and deviation 1 over the training set
  std::vector<std::int64_t> labels;  ///< 0 to 9
};

/// `part` is "train" or "t10k". Throws wg::Error when a file is missing or is not what it should be.
Dataset read_dataset(const std::string& folder, const std::string& part);
