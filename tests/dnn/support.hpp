// Networks that ship, cards, and whole runs for the tests of this room.
#pragma once

#include <string>
#include <vector>

#include "dnn/training.hpp"

namespace wg::dnn::test {

inline const std::string kRoot = WG_SOURCE_DIR;
/// In the order of the papers.
inline const std::vector<std::string> kSix{"alexnet", "overfeat", "nin", "vgg16", "squeezenet", "googlenet"};

Network shipped(const std::string& name);
Card card(const std::string& gpu);

/// At the network's own batch with the roofline.
Setup setup(const std::string& network, const std::string& gpu, double gigabytes, double ratio,
            Sync sync = Sync::layer);
double performance(const std::string& network, const std::string& gpu, double gigabytes, double ratio,
                   Sync sync = Sync::layer);

/// A chain of convolutions whose maps take any size.
Network chain(std::size_t layers);

}  // namespace wg::dnn::test
