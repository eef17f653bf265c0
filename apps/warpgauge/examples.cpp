#include "examples.hpp"

#include <array>

namespace wg::app {
namespace {

struct Example {
  std::string_view command;
  std::string_view line;  ///< what follows the command
};

constexpr std::array kExamples{
    Example{"warpgauge", " run kernel:gemm --gpu h100-pcie"},
    Example{"warpgauge", " run traces/bfs --gpu v100 --set l2.size=12MiB --json bfs.json"},
    Example{"warpgauge run", " kernel:gemm --gpu h100-pcie"},
    Example{"warpgauge run", " traces/bfs --gpu v100 --set l2.size=12MiB --kernels 1-2 --json bfs.json"},
    Example{"warpgauge sweep",
            " kernel:gather --gpu v100,a100 --vary l2.size=20MiB,40MiB --vary sm.count=40,80"},
    Example{"warpgauge sweep", " traces/bfs --gpu v100 --zip --vary sm.count=40,80 --vary l2.size=3MiB,6MiB"},
    Example{"warpgauge report", " bfs.json --html bfs.html"},
    Example{"warpgauge trace", " info traces/bfs"},
    Example{"warpgauge trace", " check traces/bfs"},
    Example{"warpgauge trace info", " traces/bfs --headers"},
    Example{"warpgauge trace info", " kernel:gemm --sm 90"},
    Example{"warpgauge trace check", " traces/bfs/kernelslist.g"},
    Example{"warpgauge trace cat", " traces/bfs --kernel 2 --cta 1"},
    Example{"warpgauge trace convert", " traces/bfs bfs.wgt"},
    Example{"warpgauge trace convert", " kernel:reduce reduce.tracez --sm 70"},
    Example{"warpgauge compress", " conv1.npy --codec zvc --out conv1.wgz"},
    Example{"warpgauge compress", " conv1.npy --report --json ratios.json"},
    Example{"warpgauge decompress", " conv1.wgz --out back.npy"},
    Example{"warpgauge cdma", " --ratio 13.8 --buffer 70000"},
    Example{"warpgauge cdma", " --density 0.4 --gpu a100 --link pcie4"},
    Example{"warpgauge uvm", " generate hotspot --bytes 16MiB -o hotspot.txt"},
    Example{"warpgauge uvm", " replay hotspot.txt --set uvm.memory=8MiB"},
    Example{"warpgauge uvm generate", " hotspot --bytes 16MiB -o hotspot.txt"},
    Example{"warpgauge uvm replay", " hotspot.txt --set uvm.memory=8MiB --set uvm.prefetcher=tbn"},
    Example{"warpgauge uvm decide", " decisions.jsonl --check"},
    Example{"warpgauge uvm from-trace", " traces/bfs -o bfs.txt"},
    Example{"warpgauge dnn", " run --net vgg16 --codec zvc --ratio 2.6"},
    Example{"warpgauge dnn run", " --net vgg16 --policy dyn --codec zvc --ratio 2.6 --link 12.8GB/s"},
    Example{"warpgauge dnn run", " --net squeezenet --codec zvc --densities squeezenet --layers"},
    Example{"warpgauge dnn list", ""},
    Example{"warpgauge dnn densities", " maps --out mine.csv"},
    Example{"warpgauge stats", ""},
    Example{"warpgauge stats", " --json"},
    Example{"warpgauge gpu", " show a100"},
    Example{"warpgauge gpu list", ""},
    Example{"warpgauge gpu show", " a100 --set l2.size=20MiB"},
    Example{"warpgauge kernels", " show gemm"},
    Example{"warpgauge kernels list", ""},
    Example{"warpgauge kernels show", " gemm"},
    Example{"warpgauge doctor", ""},
};

}  // namespace

std::string examples_of(std::string_view command) {
  std::string text;
  for (const Example& example : kExamples) {
    if (example.command == command) {
      text += (text.empty() ? "Examples:\n  " : "\n  ") + std::string(command) + std::string(example.line);
    }
  }
  return text;
}

}  // namespace wg::app
