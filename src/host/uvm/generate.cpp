#include "host/uvm/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace wg::host::uvm {
namespace {

constexpr std::uint64_t kMiB = 1024 * 1024;

/// Emits accesses `gap` apart.
class Writer {
 public:
  Writer(const GenerateOptions& options, EventSink& out) : options_(options), out_(out), rng_(options.seed) {}

  /// A new object of about `bytes`, at least one page. Returns its number.
  std::uint32_t object(const char* name, std::uint64_t bytes) {
    Event event;
    event.kind = EventKind::object;
    event.object = static_cast<std::uint32_t>(pages_.size());
    event.count = std::max(bytes, kPageBytes);
    event.name = name;
    out_.put(event);
    pages_.push_back((event.count + kPageBytes - 1) / kPageBytes);
    return event.object;
  }
  void kernel(const std::string& name) {
    Event event;
    event.kind = EventKind::kernel;
    event.time_ns = time_;
    event.name = name;
    out_.put(event);
  }
  /// All of a page: 32 accesses of 128 bytes.
  void touch(std::uint32_t object, std::uint64_t page, bool write = false) {
    visit(object, page, write, kPageBytes / 128);
  }
  /// One access somewhere in a page.
  void pick(std::uint32_t object, std::uint64_t page, bool write = false) { visit(object, page, write, 1); }
  void visit(std::uint32_t object, std::uint64_t page, bool write, std::uint64_t accesses) {
    access_.accesses = accesses;
    access_.object = object;
    access_.page = page;
    access_.write = write;
    access_.time_ns = time_;
    out_.put(access_);
    time_ += options_.gap_ns;
  }
  void sweep(std::uint32_t object, bool write = false) {
    for (std::uint64_t page = 0; page < pages(object); ++page) {
      touch(object, page, write);
    }
  }
  [[nodiscard]] std::uint64_t pages(std::uint32_t object) const { return pages_[object]; }
  [[nodiscard]] std::uint64_t total(std::uint64_t own) const {
    return options_.bytes == 0 ? own : options_.bytes;
  }
  [[nodiscard]] std::uint64_t rounds(std::uint64_t own) const {
    return options_.iterations == 0 ? own : options_.iterations;
  }
  [[nodiscard]] std::uint64_t stride() const { return options_.stride; }
  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }

 private:
  GenerateOptions options_;
  EventSink& out_;
  Rng rng_;
  std::vector<std::uint64_t> pages_;
  Event access_;
  std::uint64_t time_ = 0;
};

void sequential(Writer& w) {
  const std::uint32_t a = w.object("a", w.total(64 * kMiB));
  for (std::uint64_t i = 0; i < w.rounds(1); ++i) {
    w.kernel("seq");
    w.sweep(a);
  }
}

/// a[i] = b[i] + s * c[i], page by page.
void triad(Writer& w) {
  const std::uint64_t each = w.total(48 * kMiB) / 3;
  const std::uint32_t a = w.object("a", each);
  const std::uint32_t b = w.object("b", each);
  const std::uint32_t c = w.object("c", each);
  for (std::uint64_t i = 0; i < w.rounds(1); ++i) {
    w.kernel("triad");
    for (std::uint64_t page = 0; page < w.pages(a); ++page) {
      w.touch(b, page);
      w.touch(c, page);
      w.touch(a, page, true);
    }
  }
}

void random_pages(Writer& w) {
  const std::uint32_t a = w.object("a", w.total(64 * kMiB));
  for (std::uint64_t i = 0; i < w.rounds(1); ++i) {
    w.kernel("rand");
    for (std::uint64_t n = 0; n < w.pages(a); ++n) {
      w.pick(a, w.below(w.pages(a)));
    }
  }
}

void strided(Writer& w) {
  const std::uint32_t a = w.object("a", w.total(64 * kMiB));
  for (std::uint64_t i = 0; i < w.rounds(1); ++i) {
    w.kernel("stride");
    for (std::uint64_t page = 0; page < w.pages(a); page += w.stride()) {
      w.pick(a, page);
    }
  }
}

/// Each page names the next one: a random cycle through a sixteenth of the object.
void chase(Writer& w) {
  const std::uint32_t a = w.object("list", w.total(64 * kMiB));
  std::uint64_t page = 0;
  for (std::uint64_t n = 0; n < std::max<std::uint64_t>(w.pages(a) / 16, 1) * w.rounds(1); ++n) {
    w.pick(a, page);
    page = w.below(w.pages(a));
  }
}

/// Temperature, power and result of a grid, row by row; result and temperature change places.
void grids(Writer& w, const char* name, std::uint64_t bytes, std::uint64_t rounds, bool power) {
  const std::uint64_t each = w.total(bytes) / (power ? 3 : 2);
  const std::uint32_t in = w.object("in", each);
  const std::uint32_t out = w.object("out", each);
  const std::uint32_t extra = power ? w.object("power", each) : in;
  for (std::uint64_t i = 0; i < w.rounds(rounds); ++i) {
    w.kernel(name);
    const std::uint32_t from = i % 2 == 0 ? in : out;
    const std::uint32_t to = i % 2 == 0 ? out : in;
    for (std::uint64_t page = 0; page < w.pages(in); ++page) {
      w.touch(from, page);
      if (page + 1 < w.pages(in)) {
        w.touch(from, page + 1);  // the row below
      }
      if (power) {
        w.touch(extra, page);
      }
      w.touch(to, page, true);
    }
  }
}
void hotspot(Writer& w) { grids(w, "hotspot", 12 * kMiB, 4, true); }
void srad(Writer& w) { grids(w, "srad", 24 * kMiB, 4, true); }
void stencil(Writer& w) { grids(w, "stencil", 128 * kMiB, 10, false); }
void fdtd(Writer& w) { grids(w, "fdtd2d", 4224 * kPageBytes, 15, true); }

/// Rows of the wall come one after the other; two result rows stay hot.
void pathfinder(Writer& w) {
  const std::uint64_t bytes = w.total(38'500 * 1024);
  const std::uint64_t rounds = w.rounds(20);
  const std::uint32_t wall = w.object("wall", bytes - bytes / 64);
  const std::uint32_t row = w.object("row", bytes / 64);
  for (std::uint64_t i = 0; i < rounds; ++i) {
    w.kernel("pathfinder");
    const std::uint64_t first = w.pages(wall) * i / rounds;
    const std::uint64_t end = w.pages(wall) * (i + 1) / rounds;
    for (std::uint64_t page = first; page < end; ++page) {
      w.touch(wall, page);
      w.touch(row, page % w.pages(row), true);
    }
  }
}

/// Anti-diagonals of a square of pages, forth.
void needle(Writer& w) {
  const std::uint64_t each = w.total(8100 * 1024) / 2;
  const std::uint32_t items = w.object("items", each);
  const std::uint32_t reference = w.object("reference", each);
  const auto side = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(w.pages(items))));
  for (std::uint64_t round = 0; round < w.rounds(1); ++round) {
    for (std::uint64_t d = 0; d < 2 * side - 1; ++d) {
      w.kernel("nw");
      for (std::uint64_t y = d < side ? 0 : d - side + 1; y <= std::min(d, side - 1); ++y) {
        w.touch(reference, y * side + d - y);
        w.touch(items, y * side + d - y, true);
      }
    }
  }
}

void backprop(Writer& w) {
  const std::uint64_t bytes = w.total(6785 * kPageBytes);
  const std::uint64_t half = bytes / kPageBytes / 2 * kPageBytes;
  const std::uint32_t weights = w.object("weights", half);
  const std::uint32_t old = w.object("old_weights", bytes - half);
  for (std::uint64_t i = 0; i < w.rounds(1); ++i) {
    w.kernel("layerforward");
    w.sweep(weights);
    w.kernel("adjust_weights");
    for (std::uint64_t page = 0; page < w.pages(weights); ++page) {
      w.touch(weights, page, true);
      w.touch(old, page, true);
    }
    w.touch(old, w.pages(old) - 1, true);
  }
}

void convolution(Writer& w) { grids(w, "2dconv", 8 * kMiB, 1, false); }

/// y = A^T (A x): rows, then columns, of which each touches every row's page.
void atax(Writer& w) {
  const std::uint64_t bytes = w.total(6200 * 1024);
  const std::uint32_t a = w.object("A", bytes);
  const std::uint32_t x = w.object("x", 4 * kPageBytes);
  constexpr std::uint64_t kRow = 4;  // pages of a row
  for (std::uint64_t i = 0; i < w.rounds(1); ++i) {
    w.kernel("atax1");
    for (std::uint64_t page = 0; page < w.pages(a); ++page) {
      w.touch(a, page);
      w.touch(x, page % kRow);
    }
    w.kernel("atax2");
    for (std::uint64_t column = 0; column < kRow; ++column) {
      for (std::uint64_t page = column; page < w.pages(a); page += kRow) {
        w.touch(a, page);
      }
      w.touch(x, column, true);
    }
  }
}

/// Levels of a graph: a frontier that stays hot, edges in short runs at random places.
void graph(Writer& w, const char* name, std::uint64_t bytes, std::uint64_t levels) {
  const std::uint64_t all = w.total(bytes);
  const std::uint32_t edges = w.object("edges", all - all / 4);
  const std::uint32_t nodes = w.object("nodes", all / 8);
  const std::uint32_t frontier = w.object("frontier", all / 8);
  const std::uint64_t count = w.rounds(levels);
  for (std::uint64_t level = 0; level < count; ++level) {
    w.kernel(name);
    // Narrow at both ends, as levels of small-world graphs are.
    const double middle =
        1 - std::abs(2.0 * (static_cast<double>(level) + 0.5) / static_cast<double>(count) - 1);
    const auto visits = static_cast<std::uint64_t>(static_cast<double>(w.pages(edges)) * middle * 0.3) + 1;
    for (std::uint64_t n = 0; n < visits; ++n) {
      w.pick(nodes, w.below(w.pages(nodes)));
      const std::uint64_t first = w.below(w.pages(edges));
      for (std::uint64_t page = first; page < std::min(first + 2, w.pages(edges)); ++page) {
        w.pick(edges, page);
      }
      w.pick(frontier, w.below(w.pages(frontier)), true);
    }
  }
}
void bfs(Writer& w) { graph(w, "bfs", 9984 * 1024, 22); }
void sssp(Writer& w) { graph(w, "sssp", 28 * kMiB, 31); }

void random_access(Writer& w) {
  const std::uint32_t table = w.object("table", w.total(12 * kMiB));
  for (std::uint64_t i = 0; i < w.rounds(4); ++i) {
    w.kernel("ra");
    for (std::uint64_t n = 0; n < w.pages(table); ++n) {
      w.pick(table, w.below(w.pages(table)), true);
    }
  }
}

/// Tiles of C: a band of A's rows stays, B is read once for each band.
void sgemm(Writer& w) {
  const std::uint64_t each = w.total(192 * kMiB) / 3;
  const std::uint32_t a = w.object("A", each);
  const std::uint32_t b = w.object("B", each);
  const std::uint32_t c = w.object("C", each);
  const std::uint64_t bands = w.rounds(8);
  w.kernel("sgemm");
  for (std::uint64_t band = 0; band < bands; ++band) {
    const std::uint64_t first = w.pages(a) * band / bands;
    const std::uint64_t size = std::max<std::uint64_t>(w.pages(a) * (band + 1) / bands - first, 1);
    for (std::uint64_t page = 0; page < w.pages(b); ++page) {
      w.touch(a, std::min(first + page * size / w.pages(b), w.pages(a) - 1));
      w.touch(b, page);
    }
    for (std::uint64_t page = first; page < std::min(first + size, w.pages(c)); ++page) {
      w.touch(c, page, true);
    }
  }
}

/// Butterflies: pairs of pages at distances that halve.
void cufft(Writer& w) {
  const std::uint32_t a = w.object("signal", w.total(64 * kMiB));
  for (std::uint64_t round = 0; round < w.rounds(1); ++round) {
    for (std::uint64_t half = std::bit_floor(w.pages(a)) / 2; half > 0; half /= 8) {
      w.kernel("fft");
      for (std::uint64_t page = 0; page + half < w.pages(a);
           page += page % (2 * half) + 1 == half ? half + 1 : 1) {
        w.touch(a, page, true);
        w.touch(a, page + half, true);
      }
    }
  }
}

void gauss_seidel(Writer& w) {
  const std::uint32_t grid = w.object("grid", w.total(64 * kMiB));
  for (std::uint64_t i = 0; i < w.rounds(10); ++i) {
    w.kernel("gauss_seidel");
    w.sweep(grid, true);
  }
}

/// V cycles over grids of which each has an eighth of the one above.
void hpgmg(Writer& w) {
  const std::uint64_t bytes = w.total(72 * kMiB);
  std::vector<std::uint32_t> levels;
  for (std::uint64_t size = bytes - bytes / 8; size >= 4 * kPageBytes && levels.size() < 5; size /= 8) {
    levels.push_back(w.object(fmt::format("level{}", levels.size()).c_str(), size));
  }
  for (std::uint64_t i = 0; i < w.rounds(4); ++i) {
    for (const std::uint32_t level : levels) {
      w.kernel("smooth");
      w.sweep(level, true);
    }
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      w.kernel("interpolate");
      w.sweep(*level, true);
    }
  }
}

/// Weights are scanned once a layer pass; keys and values grow behind.
void llm_prefill(Writer& w) {
  const std::uint64_t bytes = w.total(256 * kMiB);
  const std::uint32_t weights = w.object("weights", bytes - bytes / 8);
  const std::uint32_t cache = w.object("kv", bytes / 8);
  for (std::uint64_t i = 0; i < w.rounds(5); ++i) {
    w.kernel("prefill");
    std::uint64_t page = 0;
    while (page < w.pages(weights)) {
      w.touch(weights, page);
      const std::uint64_t draw = w.below(100);  // steps: +1 64 %, +2 12 %, +3 5 %, else a little back or on
      page += draw < 64 ? 1 : draw < 76 ? 2 : draw < 81 ? 3 : draw < 90 ? 0 : 4;
      if (draw % 8 == 0) {
        w.touch(cache, page * w.pages(cache) / (w.pages(weights) + 8), true);
      }
    }
  }
}

/// Few visits to each block: experts and cache entries that one token needs.
void llm_decode(Writer& w) {
  const std::uint64_t bytes = w.total(256 * kMiB);
  const std::uint32_t weights = w.object("weights", bytes - bytes / 4);
  const std::uint32_t cache = w.object("kv", bytes / 4);
  for (std::uint64_t token = 0; token < w.rounds(16); ++token) {
    w.kernel("decode");
    for (std::uint64_t block = 0; block < w.pages(weights) / kBlockPages + 1; ++block) {
      for (int visit = 0; visit < 3; ++visit) {
        const std::uint64_t page = block * kBlockPages + w.below(kBlockPages);
        if (page < w.pages(weights)) {
          w.pick(weights, page);
        }
      }
    }
    for (std::uint64_t n = 0; n < w.pages(cache) / 32 + 1; ++n) {
      w.pick(cache, w.below(w.pages(cache)));
    }
  }
}

/// Steps of 69 pages dominate: forward, then backward.
void dnn(Writer& w) {
  const std::uint64_t bytes = w.total(128 * kMiB);
  const std::uint32_t tensors = w.object("tensors", bytes);
  const auto step = [&] {
    const std::uint64_t draw = w.below(1000);  // +69 38.7 %, +138 15.7 %, +207 8 %
    return draw < 387   ? 69U
           : draw < 544 ? 138U
           : draw < 624 ? 207U
                        : 1U + static_cast<std::uint32_t>(draw % 3);
  };
  for (std::uint64_t i = 0; i < w.rounds(4); ++i) {
    w.kernel("forward");
    for (std::uint64_t start = 0; start < 8; ++start) {
      for (std::uint64_t page = start * 8; page < w.pages(tensors); page += step()) {
        w.touch(tensors, page, true);
      }
    }
    w.kernel("backward");
    for (std::uint64_t start = 0; start < 8; ++start) {
      std::uint64_t page = w.pages(tensors) - 1 - std::min(start * 8, w.pages(tensors) - 1);
      for (std::uint64_t by = step(); page >= by; by = step()) {
        w.touch(tensors, page, true);
        page -= by;
      }
    }
  }
}

void faiss_query(Writer& w) {
  const std::uint32_t index = w.object("index", w.total(64 * kMiB));
  w.kernel("search");
  for (std::uint64_t n = 0; n < w.pages(index) * w.rounds(4); ++n) {
    w.pick(index, w.below(w.pages(index)));
  }
}

/// Several scans at once.
void faiss_build(Writer& w) {
  const std::uint32_t vectors = w.object("vectors", w.total(64 * kMiB));
  constexpr std::uint64_t kStreams = 8;
  const std::uint64_t length = w.pages(vectors) / kStreams;
  for (std::uint64_t i = 0; i < w.rounds(2); ++i) {
    w.kernel("train");
    for (std::uint64_t page = 0; page < length; ++page) {
      for (std::uint64_t stream = 0; stream < kStreams; ++stream) {
        w.touch(vectors, stream * length + page);
      }
    }
  }
}

struct Row {
  Workload workload;
  void (*make)(Writer&);
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all{
      {{"seq", "one object ascending (unit anchor)"}, sequential},
      {{"triad", "STREAM triad, three objects (Allen and Ge)"}, triad},
      {{"rand", "uniform random pages (Allen and Ge, gpu_ext)"}, random_pages},
      {{"stride", "every --stride-th page (unit anchor)"}, strided},
      {{"chase", "pointer chase, serial and random (gpu_ext)"}, chase},
      {{"hotspot", "three grids, 12 MiB, 4 kernels (UVMSmart)"}, hotspot},
      {{"srad", "three grids, 24 MiB, 4 kernels (UVMSmart)"}, srad},
      {{"stencil", "two grids, 128 MiB, 10 kernels (UVMSmart)"}, stencil},
      {{"fdtd", "three grids, 4224 pages, 15 kernels (UVMSmart)"}, fdtd},
      {{"pathfinder", "rows ascending, 38.5 MB, 20 kernels (UVMSmart)"}, pathfinder},
      {{"nw", "diagonal wavefront over 8.1 MB (UVMSmart)"}, needle},
      {{"backprop", "two weight arrays, 6785 pages (UVMSmart)"}, backprop},
      {{"2dconv", "two grids, 8 MiB, once (UVMSmart)"}, convolution},
      {{"atax", "rows, then columns, 6.2 MB (UVMSmart)"}, atax},
      {{"bfs", "sparse edges, hot frontier, 9.75 MB, 22 kernels (UVMSmart)"}, bfs},
      {{"sssp", "the same, 28 MB, 31 kernels (UVMSmart)"}, sssp},
      {{"ra", "random updates, 12 MiB (UVMSmart)"}, random_access},
      {{"sgemm", "tiles of a matrix product (Allen and Ge)"}, sgemm},
      {{"cufft", "butterfly strides (Allen and Ge)"}, cufft},
      {{"gauss-seidel", "repeated sweeps (Allen and Ge)"}, gauss_seidel},
      {{"hpgmg", "multigrid levels (Allen and Ge)"}, hpgmg},
      {{"llm-prefill", "periodic scans with small steps (gpu_ext)"}, llm_prefill},
      {{"llm-decode", "three visits to each block and token (gpu_ext)"}, llm_decode},
      {{"dnn", "steps of 69 pages, forward and backward (gpu_ext)"}, dnn},
      {{"faiss-query", "uniform random, high reuse (gpu_ext)"}, faiss_query},
      {{"faiss-build", "eight scans side by side (gpu_ext)"}, faiss_build}};
  return all;
}

}  // namespace

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all = [] {
    std::vector<Workload> out;
    for (const Row& row : rows()) {
      out.push_back(row.workload);
    }
    return out;
  }();
  return all;
}

void generate(std::string_view name, const GenerateOptions& options, EventSink& out) {
  constexpr std::uint64_t kLeast = 256 * 1024;
  if (options.bytes != 0 && options.bytes < kLeast) {
    throw Error({.where = "footprint",
                 .expected = "at least 256 KiB",
                 .found = fmt::format("{} bytes", options.bytes)},
                ExitCode::usage);
  }
  if (options.stride == 0) {
    throw Error({.where = "stride", .expected = "at least 1 page", .found = "0"}, ExitCode::usage);
  }
  std::string all;
  for (const Row& row : rows()) {
    if (row.workload.name == name) {
      Writer writer(options, out);
      row.make(writer);
      return;
    }
    all += fmt::format("{}{}", all.empty() ? "" : ", ", row.workload.name);
  }
  throw Error({.where = "workload", .expected = "one of " + all, .found = std::string(name)},
              ExitCode::usage);
}

}  // namespace wg::host::uvm
