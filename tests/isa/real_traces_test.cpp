// Every instruction line of the recorded traces decodes, and agrees with what the tracer wrote beside it.
#include <gtest/gtest.h>
#include <lzma.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "isa/inst.hpp"

namespace wg::isa {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Unpacks an .xz file; empty when it is damaged.
std::string unpacked(const fs::path& path) {
  const std::string packed = bytes_of(path);
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, 0) != LZMA_OK) {
    return {};
  }
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string out;
  std::vector<char> block(1 << 20);
  lzma_ret status = LZMA_OK;
  while (status == LZMA_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(block.data());
    stream.avail_out = block.size();
    status = lzma_code(&stream, LZMA_FINISH);
    out.append(block.data(), block.size() - stream.avail_out);
  }
  lzma_end(&stream);
  return status == LZMA_STREAM_END ? out : std::string{};
}

std::string_view next_token(std::string_view& line) {
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(start);
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view token = line.substr(0, end);
  line.remove_prefix(end);
  return token;
}

unsigned number_of(std::string_view token, int radix = 10) {
  unsigned value = ~0U;
  std::from_chars(token.data(), token.data() + token.size(), value, radix);
  return value;
}

struct Instruction {
  std::string mnemonic;
  std::vector<std::uint16_t> dst;
  std::vector<std::uint16_t> src;
  unsigned width = 0;
  bool operator<(const Instruction& o) const {
    return std::tie(mnemonic, dst, src, width) < std::tie(o.mnemonic, o.dst, o.src, o.width);
  }
};

std::vector<std::uint16_t> registers_of(std::string_view& line) {
  std::vector<std::uint16_t> regs(number_of(next_token(line)));
  for (std::uint16_t& reg : regs) {
    reg = static_cast<std::uint16_t>(number_of(next_token(line).substr(1)));
  }
  return regs;
}

/// One distinct instruction line per kernel and spelling, with the binary version of the file.
struct Traced {
  unsigned binary_version = 0;
  std::size_t lines = 0;
  std::set<Instruction> instructions;
};

Traced read_trace(const fs::path& path) {
  const std::string text = path.extension() == ".xz" ? unpacked(path) : bytes_of(path);
  const bool raw = path.filename().string().find(".traceg") == std::string::npos;
  Traced traced;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    constexpr std::string_view kVersion = "-binary version = ";
    if (line.starts_with(kVersion)) {
      traced.binary_version = number_of(line.substr(kVersion.size()));
    }
    if (line.empty() || line[0] == '-' || line[0] == '#' || line.find(" = ") != std::string_view::npos) {
      continue;
    }
    for (int skip = raw ? 6 : 2; skip > 0; --skip) {  // [cta and warp], pc, mask
      next_token(line);
    }
    Instruction inst;
    inst.dst = registers_of(line);
    inst.mnemonic = next_token(line);
    inst.src = registers_of(line);
    inst.width = number_of(next_token(line));
    ++traced.lines;
    traced.instructions.insert(std::move(inst));
  }
  return traced;
}

std::uint32_t total(std::span<const RegRange> ranges) {
  std::uint32_t count = 0;
  for (const RegRange& range : ranges) {
    count += range.first < kRegZero ? range.count : 0U;
  }
  return count;
}

/// The hardware wants pairs at even and quads at fourfold register numbers: a width that is wrong shows here.
void expect_aligned(std::span<const RegRange> ranges, const std::string& mnemonic) {
  for (const RegRange& range : ranges) {
    if (range.first < kRegZero && range.count > 1) {
      EXPECT_EQ(range.first % std::min<unsigned>(range.count, 4), 0U) << mnemonic << " R" << range.first;
    }
  }
}

void check(Generation generation, const Instruction& traced) {
  RawInst raw;
  raw.mnemonic = traced.mnemonic;
  raw.dst = traced.dst;
  raw.src = traced.src;
  raw.has_address = traced.width != 0;
  raw.traced_width = static_cast<std::uint8_t>(traced.width);
  const StaticInst inst = decode(table_of(generation), raw);
  EXPECT_TRUE(inst.known) << traced.mnemonic;
  const bool memory =
      inst.cls == InstClass::load || inst.cls == InstClass::store || inst.cls == InstClass::ldgsts;
  EXPECT_EQ(memory, raw.has_address) << traced.mnemonic;
  if (memory) {
    EXPECT_EQ(inst.width, traced.width) << traced.mnemonic;
  }
  expect_aligned(inst.writes(), traced.mnemonic);
  expect_aligned(inst.reads(), traced.mnemonic);
  if (inst.cls == InstClass::load && traced.dst.size() == 1 && traced.dst[0] < 252) {
    EXPECT_EQ(total(inst.writes()), std::max(traced.width / 4, 1U)) << traced.mnemonic;
  }
  if (!traced.dst.empty() && traced.dst[0] != kRegZero) {
    EXPECT_GE(total(inst.writes()), 1U) << traced.mnemonic;
  }
}

TEST(RealTraces, EveryInstructionIsKnownAndAgreesWithItsTracer) {
  const char* data = std::getenv("WG_DATA_DIR");
  if (data == nullptr) {
    GTEST_SKIP() << "WG_DATA_DIR is unset: no recorded traces to read";
  }
  std::size_t files = 0;
  std::size_t lines = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path{data} / "traces")) {
    if (entry.path().filename().string().find(".trace") == std::string::npos) {
      continue;
    }
    const Traced traced = read_trace(entry.path());
    Generation generation = Generation::fermi;
    ASSERT_TRUE(generation_of(traced.binary_version, generation)) << entry.path();
    for (const Instruction& inst : traced.instructions) {
      SCOPED_TRACE(entry.path().string());
      check(generation, inst);
    }
    ++files;
    lines += traced.lines;
  }
  EXPECT_GT(files, 150U);
  EXPECT_GT(lines, 1'000'000U);
  RecordProperty("files", static_cast<int>(files));
  RecordProperty("lines", static_cast<int>(lines));
}

}  // namespace
}  // namespace wg::isa
