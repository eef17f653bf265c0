// Cost of reading a text trace: nanoseconds an instruction line.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <variant>

#include "base/rng.hpp"
#include "trace/workload.hpp"

namespace wg::trace {
namespace {

constexpr int kWarps = 8;
constexpr int kLines = 256;

/// A kernel of 64 CTAs with one load in four instructions; random addresses when `scattered`.
class TraceFile {
 public:
  explicit TraceFile(bool scattered)
      : path_(std::filesystem::temp_directory_path() / fmt::format("warpgauge-bench-{}.traceg", getpid())) {
    std::ofstream out(path_);
    out << "-kernel name = k\n-kernel id = 1\n-grid dim = (64,1,1)\n-block dim = (256,1,1)\n-shmem = 0\n"
           "-nregs = 16\n-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x00007f1a00000000\n"
           "-local mem base_addr = 0x00007f1a02000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
           "-enable lineinfo = 0\n\n#traces format = PC mask\n";
    Rng rng(1);
    for (int cta = 0; cta < 64; ++cta) {
      out << fmt::format("\n#BEGIN_TB\n\nthread block = {},0,0\n", cta);
      for (int warp = 0; warp < kWarps; ++warp) {
        out << fmt::format("\nwarp = {}\ninsts = {}\n", warp, kLines);
        for (int line = 0; line < kLines; ++line) {
          out << instruction(line, scattered, rng);
        }
      }
      out << "\n#END_TB\n";
    }
  }
  ~TraceFile() { std::filesystem::remove(path_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static std::string instruction(int line, bool scattered, Rng& rng) {
    const int pc = line * 16;
    if (line == kLines - 1) {
      return fmt::format("{:04x} ffffffff 0 EXIT 0 0 0 \n", pc);
    }
    if (line % 4 != 0) {
      return fmt::format("{:04x} ffffffff 1 R{} FFMA 3 R{} R4 R5 0 0 \n", pc, 8 + line % 8, 8 + line % 8);
    }
    std::string text = fmt::format("{:04x} ffffffff 1 R2 LDG.E 1 R2 4 ", pc);
    if (scattered) {
      text += "2 0x7f1a20000000 ";
      for (int lane = 1; lane < 32; ++lane) {
        text += fmt::format("{} ", static_cast<std::int64_t>(rng.below(1 << 20)) * 4 - (2 << 20));
      }
    } else {
      text += "1 0x7f1a20000000 4 ";
    }
    return text + "0 \n";
  }

  std::filesystem::path path_;
};

void read_text(benchmark::State& state) {
  const TraceFile file(state.range(0) != 0);
  const Workload workload = open_trace(file.path());
  const auto& kernel = std::get<std::shared_ptr<const Kernel>>(workload.commands.front());
  std::int64_t instructions = 0;
  CtaBlob blob;
  CtaTrace cta;
  for (auto _ : state) {
    const std::unique_ptr<CtaSource> source = kernel->open();
    const std::unique_ptr<CtaDecoder> decoder = kernel->decoder();
    while (source->next(blob)) {
      decoder->decode(blob, cta);
      instructions += static_cast<std::int64_t>(cta.insts.size());
    }
  }
  state.SetItemsProcessed(instructions);
}
BENCHMARK(read_text)->ArgName("scattered")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wg::trace
