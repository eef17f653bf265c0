#include "trace/header.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "isa/inst.hpp"
#include "trace/scan.hpp"

namespace wg::trace {
namespace {

constexpr std::uint64_t kLongestHeader = std::uint64_t{4} << 20;
constexpr std::uint32_t kNewestTracer = 6;
constexpr std::uint32_t kMaxThreads = 1024;  // CUDA C++ Programming Guide, technical specifications

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// Whole `text` as a number, or nothing.
std::optional<std::uint64_t> number(std::string_view text, bool hex) {
  if (hex && (text.starts_with("0x") || text.starts_with("0X"))) {
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

class HeaderParser {
 public:
  explicit HeaderParser(BlockReader& reader) : reader_(reader) {}

  ParsedHeader parse() {
    read_lines();
    require(have_grid_, "-grid dim");
    require(have_block_, "-block dim");
    require(have_binary_, "-binary version");
    if (!problems_.empty()) {
      throw Error(std::move(problems_));
    }
    return std::move(parsed_);
  }

 private:
  /// Stops in front of the first line of the body.
  void read_lines() {
    std::string_view line;
    std::uint64_t offset = 0;
    std::uint64_t number_of_line = 1;
    bool any = false;
    for (;; offset = reader_.offset(), number_of_line = reader_.line_number()) {
      place_ = reader_.place();
      if (offset > kLongestHeader) {
        throw Error(Problem{place_, "the end of the header", "4 MiB of header lines", ""});
      }
      if (!reader_.line(line)) {
        if (!any) {
          throw Error(Problem{place_, "a kernel trace", "an empty file", ""});
        }
        break;
      }
      const std::string_view text = trimmed(line);
      any = any || !text.empty();
      const bool block = text.starts_with("#BEGIN_TB") || text.starts_with("#END_TB");
      if (text.empty() || (text.front() == '#' && !block)) {
        continue;
      }
      if (text.front() != '-') {
        if (!block && !is_digit(text.front())) {
          throw Error(
              Problem{place_, "a header line `-key = value` or the start of the body", quoted(text), ""});
        }
        parsed_.layout = block ? Layout::grouped : Layout::raw;
        break;
      }
      key_value(text);
    }
    parsed_.body_offset = offset;
    parsed_.body_line = number_of_line;
  }

  void key_value(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      throw Error(Problem{place_, "a header line `-key = value`", quoted(text), ""});
    }
    const std::string_view key = trimmed(text.substr(1, equals - 1));
    const std::string_view value = trimmed(text.substr(equals + 1));
    KernelHeader& h = parsed_.header;
    if (key == "kernel name") {
      h.name = std::string(value);
    } else if (key == "nvbit version") {
      h.nvbit_version = std::string(value);
    } else if (key == "grid dim") {
      have_grid_ = dimensions(value, h.grid, {std::numeric_limits<std::int32_t>::max(), 65535, 65535});
    } else if (key == "block dim") {
      have_block_ = dimensions(value, h.block, {kMaxThreads, kMaxThreads, 64});
      if (have_block_ && h.block.count() > kMaxThreads) {
        problem("a block of at most 1024 threads", fmt::format("{} threads", h.block.count()));
      }
    } else if (key == "accelsim tracer version") {
      tracer_version(value);
    } else {
      plain_number(key, value);
    }
  }

  void plain_number(std::string_view key, std::string_view value) {
    KernelHeader& h = parsed_.header;
    constexpr std::uint64_t kInt = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
    if (key == "kernel id") {
      h.id = checked(value, false, kAny);
    } else if (key == "shmem") {
      h.shared_bytes = Bytes{checked(value, false, kInt)};
    } else if (key == "nregs") {
      h.registers = static_cast<std::uint32_t>(checked(value, false, 1024));
    } else if (key == "binary version") {
      binary_version(value);
    } else if (key == "cuda stream id") {
      h.stream = checked(value, false, kAny);
    } else if (key == "shmem base_addr") {
      h.shared_base = checked(value, true, kAny);
    } else if (key == "local mem base_addr") {
      h.local_base = checked(value, true, kAny);
    } else if (key == "enable lineinfo") {
      h.line_info = checked(value, false, 1) != 0;
    }
    // Keys that are not known carry nothing for us: tracers add labels of their own.
  }

  void binary_version(std::string_view value) {
    have_binary_ = true;
    parsed_.header.binary_version =
        static_cast<std::uint32_t>(checked(value, false, std::numeric_limits<std::uint32_t>::max()));
    isa::Generation generation{};
    if (!isa::generation_of(parsed_.header.binary_version, generation)) {
      problem("an SM version such as 70, 86 or 90", quoted(value));
    }
  }

  /// "1.2" is version 1: only the major number decides the grammar.
  void tracer_version(std::string_view value) {
    const std::optional<std::uint64_t> major = number(value.substr(0, value.find('.')), false);
    if (!major || *major < 1 || *major > kNewestTracer) {
      problem("a tracer version from 1 to 6", quoted(value));
      return;
    }
    parsed_.header.tracer_version = static_cast<std::uint32_t>(*major);
  }

  std::uint64_t checked(std::string_view value, bool hex, std::uint64_t most) {
    const std::optional<std::uint64_t> n = number(value, hex);
    if (!n || *n > most) {
      problem(hex ? "a hexadecimal address" : fmt::format("a number from 0 to {}", most), quoted(value));
      return 0;
    }
    return *n;
  }

  /// "(X,Y,Z)", each from 1 to its limit.
  bool dimensions(std::string_view value, Dim3& out, const std::array<std::uint32_t, 3>& most) {
    const std::string copy(value);
    const char* p = copy.c_str();
    std::array<std::uint64_t, 3> got{};
    bool good = *p++ == '(';
    for (std::size_t i = 0; good && i < 3; ++i) {
      p = scan_decimal(skip_blanks(p), got[i]);
      good = p != nullptr && got[i] >= 1 && got[i] <= most[i];
      if (good) {
        p = skip_blanks(p);
        good = *p++ == (i < 2 ? ',' : ')');
      }
    }
    if (!good || *skip_blanks(p) != '\0') {
      problem(fmt::format("(x,y,z) from 1 to {},{},{}", most[0], most[1], most[2]), quoted(value));
      return true;  // given, though wrongly: not missing as well
    }
    out = {static_cast<std::uint32_t>(got[0]), static_cast<std::uint32_t>(got[1]),
           static_cast<std::uint32_t>(got[2])};
    return true;
  }

  void problem(std::string expected, std::string found) {
    problems_.push_back({place_, std::move(expected), std::move(found), ""});
  }
  void require(bool have, const char* key) {
    if (!have) {
      problem(fmt::format("a line `{} = ...` in the header", key), "none");
    }
  }

  BlockReader& reader_;
  ParsedHeader parsed_;
  std::string place_;
  std::vector<Problem> problems_;
  bool have_grid_ = false;
  bool have_block_ = false;
  bool have_binary_ = false;
};

}  // namespace

ParsedHeader parse_header(BlockReader& reader) {
  ParsedHeader parsed = HeaderParser(reader).parse();
  if (parsed.header.tracer_version == 0) {
    parsed.header.tracer_version = 1;  // version 1.0 did not write the line
  }
  return parsed;
}

std::string header_text(const KernelHeader& h) {
  std::string out = fmt::format(
      "-kernel name = {}\n-kernel id = {}\n-grid dim = ({},{},{})\n-block dim = ({},{},{})\n-shmem = {}\n"
      "-nregs = {}\n-binary version = {}\n-cuda stream id = {}\n-shmem base_addr = 0x{:016x}\n"
      "-local mem base_addr = 0x{:016x}\n-nvbit version = {}\n-accelsim tracer version = {}\n",
      h.name, h.id, h.grid.x, h.grid.y, h.grid.z, h.block.x, h.block.y, h.block.z, h.shared_bytes.count(),
      h.registers, h.binary_version, h.stream, h.shared_base, h.local_base, h.nvbit_version,
      h.tracer_version);
  if (h.tracer_version >= 4) {
    out += fmt::format("-enable lineinfo = {}\n", h.line_info ? 1 : 0);
  }
  out += "\n#traces format = ";
  out += h.tracer_version < 3 ? "threadblock_x threadblock_y threadblock_z warpid_tb " : "[line_num] ";
  return out +
         "PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] "
         "immediate\n\n";
}

}  // namespace wg::trace
