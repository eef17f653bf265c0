// The parts of a native trace that are read whole: footer (commands, kernel headers) and kernel tables.
#include <fmt/format.h>

#include <span>
#include <string>

#include "isa/inst.hpp"
#include "trace/native_format.hpp"

namespace wg::trace::native {
namespace {

constexpr std::uint8_t kKernelCommand = 3;  // below: CopyKind
constexpr std::size_t kSmallestStatic = 7;
constexpr std::size_t kSmallestBlock = 24;
constexpr std::uint64_t kNewestTracer = 6;
constexpr std::uint32_t kMostThreads = 1024;

/// Sections follow one another closely, so the distance from the end of the one before says little.
void write_section(const Section& section, std::uint64_t& behind, ByteWriter& out) {
  out.number(section.offset - behind);
  out.number(section.stored);
  out.number(section.raw);
  out.word(section.checksum);
  behind = section.offset + section.stored;
}

Section read_section(ByteReader& in, std::uint64_t& behind, std::uint64_t end) {
  Section section;
  section.offset = behind + in.number("the distance of a section", 0, end - behind);
  section.stored =
      static_cast<std::uint32_t>(in.number("the bytes of a section in the file", 0, end - section.offset));
  section.raw = in.number32("the unpacked bytes of a section");
  if (section.stored > section.raw) {
    in.fail(fmt::format("at most {} stored bytes", section.raw), fmt::format("{}", section.stored));
  }
  section.checksum = in.word<std::uint64_t>("a checksum");
  behind = section.offset + section.stored;
  return section;
}

/// Adds the registers to `out`; their number.
std::uint32_t read_registers(ByteReader& in, std::vector<std::uint16_t>& out) {
  const std::size_t count = in.count("a number of registers", 1);
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(static_cast<std::uint16_t>(in.number("a register", 0, isa::kRegCount - 1)));
  }
  return static_cast<std::uint32_t>(count);
}

/// What a static instruction is written against: the one before it.
struct Before {
  std::uint64_t pc = 0;
  std::uint32_t line = 0;
  std::uint64_t base = 0;
};

void write_static(const StaticEntry& s, const KernelTable& table, Before& before, ByteWriter& out) {
  const isa::RawInst raw = table.raw(static_cast<std::size_t>(&s - table.statics.data()), false);
  out.number(s.name);
  out.difference(s.pc - before.pc);
  out.byte(s.has_address ? 1 : 0);
  for (const std::span<const std::uint16_t> registers : {raw.dst, raw.src}) {
    out.number(registers.size());
    for (const std::uint16_t reg : registers) {
      out.number(reg);
    }
  }
  out.difference(static_cast<std::uint64_t>(std::int64_t{s.imm}));
  out.difference(std::uint64_t{s.line} - before.line);
  if (s.has_address) {
    out.byte(s.traced_width);
    out.difference(s.base - before.base);
    out.difference(static_cast<std::uint64_t>(s.stride));
    before.base = s.base;
  }
  before.pc = s.pc;
  before.line = s.line;
}

/// A number that was kept in 64 bits as the 32 it must fit.
template <class Word>
Word word(const ByteReader& in, std::uint64_t value, const char* what) {
  if (static_cast<std::uint64_t>(static_cast<Word>(value)) != value) {
    in.fail(fmt::format("{} of 32 bits", what), fmt::format("{:#x}", value));
  }
  return static_cast<Word>(value);
}

StaticEntry read_static(ByteReader& in, KernelTable& table, Before& before) {
  StaticEntry s;
  s.name = static_cast<std::uint32_t>(in.number("a mnemonic's number", 0, table.names.size() - 1));
  s.pc = before.pc + in.difference("a PC");
  s.has_address = in.flag("flags");
  s.first_register = static_cast<std::uint32_t>(table.registers.size());
  s.destinations = read_registers(in, table.registers);
  s.sources = read_registers(in, table.registers);
  s.imm = word<std::int32_t>(in, in.difference("an immediate"), "an immediate");
  s.line = word<std::uint32_t>(in, before.line + in.difference("a source line"), "a source line");
  if (s.has_address) {
    s.traced_width = in.byte("a width");
    s.base = before.base + in.difference("an address");
    s.stride = static_cast<std::int64_t>(in.difference("a stride"));
    before.base = s.base;
  }
  before.pc = s.pc;
  before.line = s.line;
  return s;
}

void read_stretches(ByteReader& in, KernelTable& table) {
  table.stretches.resize(in.count("a number of stretches", 2));
  const std::uint64_t count = table.statics.size();
  std::uint64_t behind = 0;
  for (Stretch& stretch : table.stretches) {
    const std::uint64_t start = behind + in.difference("a stretch");
    const std::uint64_t length = in.number("the length of a stretch");
    if (start >= count || length > count - start || length == 0) {
      in.fail(fmt::format("a stretch of {} static instructions", count),
              fmt::format("{} from number {}", length, start));
    }
    stretch = {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(length)};
    behind = start + length;
  }
}

void write_dim(const Dim3& dim, ByteWriter& out) {
  for (const std::uint32_t n : {dim.x, dim.y, dim.z}) {
    out.number(n);
  }
}

Dim3 read_dim(ByteReader& in, const char* what, const Dim3& most) {
  Dim3 dim;
  dim.x = static_cast<std::uint32_t>(in.number(what, 1, most.x));
  dim.y = static_cast<std::uint32_t>(in.number(what, 1, most.y));
  dim.z = static_cast<std::uint32_t>(in.number(what, 1, most.z));
  return dim;
}

void write_header(const KernelHeader& h, ByteWriter& out) {
  out.text(h.name);
  out.number(h.id);
  write_dim(h.grid, out);
  write_dim(h.block, out);
  out.number(h.shared_bytes.count());
  out.number(h.registers);
  out.number(h.binary_version);
  out.number(h.stream);
  out.number(h.shared_base);
  out.number(h.local_base);
  out.number(h.tracer_version);
  out.text(h.nvbit_version);
  out.byte(h.line_info ? 1 : 0);
}

KernelHeader read_header(ByteReader& in) {
  KernelHeader h;
  h.name = in.text("a kernel's name");
  h.id = in.number("a kernel's id");
  h.grid = read_dim(in, "a grid dimension", {0x7FFFFFFF, 0xFFFF, 0xFFFF});
  h.block = read_dim(in, "a block dimension", {kMostThreads, kMostThreads, 64});
  if (h.block.count() > kMostThreads) {
    in.fail("at most 1024 threads in a block", fmt::format("{}", h.block.count()));
  }
  h.shared_bytes = Bytes{in.number("bytes of shared memory", 0, 0x7FFFFFFF)};
  h.registers = static_cast<std::uint32_t>(in.number("registers of a thread", 0, 1024));
  h.binary_version = in.number32("a binary version");
  isa::Generation generation{};
  if (!isa::generation_of(h.binary_version, generation)) {
    in.fail("a known binary version", fmt::format("{}", h.binary_version));
  }
  h.stream = in.number("a stream");
  h.shared_base = in.number("the base of shared memory");
  h.local_base = in.number("the base of local memory");
  h.tracer_version = static_cast<std::uint32_t>(in.number("a tracer version", 1, kNewestTracer));
  h.nvbit_version = in.text("a version of NVBit");
  h.line_info = in.flag("the line flag");
  return h;
}

}  // namespace

void write_table(const KernelTable& table, ByteWriter& out) {
  out.number(table.names.size());
  for (const std::string& name : table.names) {
    out.text(name);
  }
  out.number(table.statics.size());
  Before before;
  for (const StaticEntry& entry : table.statics) {
    write_static(entry, table, before, out);
  }
  out.number(table.stretches.size());
  std::uint64_t behind_stretch = 0;
  for (const Stretch& stretch : table.stretches) {
    out.difference(stretch.start - behind_stretch);
    out.number(stretch.length);
    behind_stretch = std::uint64_t{stretch.start} + stretch.length;
  }
  out.number(table.blocks.size());
  std::uint64_t behind = kHeadBytes;
  for (const BlockInfo& block : table.blocks) {
    out.number(block.ctas);
    out.number(block.insts);
    write_section(block.control, behind, out);
    write_section(block.lists, behind, out);
  }
}

KernelTable read_table(ByteReader& in, std::uint64_t ctas, std::uint64_t end) {
  KernelTable table;
  table.names.resize(in.count("a number of mnemonics", 1));
  for (std::string& name : table.names) {
    name = in.text("a mnemonic");
    if (name.empty()) {
      in.fail("a mnemonic", "an empty one");
    }
  }
  const std::size_t statics = in.count("a number of static instructions", kSmallestStatic);
  if (statics > 0 && table.names.empty()) {
    in.fail("mnemonics", "none");
  }
  table.statics.reserve(statics);
  table.registers.reserve(4 * statics);
  Before before;
  for (std::size_t i = 0; i < statics; ++i) {
    table.statics.push_back(read_static(in, table, before));
  }
  read_stretches(in, table);
  table.blocks.resize(in.count("a number of blocks", kSmallestBlock));
  std::uint64_t behind = kHeadBytes;
  std::uint64_t cta = 0;
  for (BlockInfo& block : table.blocks) {
    block.first_cta = cta;
    block.ctas = in.number("the CTAs of a block", 1, ctas - cta);
    block.insts = in.number("the instructions of a block");
    block.control = read_section(in, behind, end);
    block.lists = read_section(in, behind, end);
    cta += block.ctas;
  }
  if (cta != ctas) {
    in.fail(fmt::format("{} CTAs for the grid", ctas), fmt::format("{}", cta));
  }
  in.finish("the kernel's table");
  return table;
}

void write_footer(const std::vector<FooterCommand>& commands, ByteWriter& out) {
  out.number(commands.size());
  std::uint64_t behind = kHeadBytes;
  for (const FooterCommand& command : commands) {
    if (const Copy* copy = std::get_if<Copy>(&command)) {
      out.byte(static_cast<std::uint8_t>(copy->kind));
      out.number(copy->address);
      out.number(copy->bytes.count());
    } else {
      const KernelEntry& kernel = std::get<KernelEntry>(command);
      out.byte(kKernelCommand);
      write_header(kernel.header, out);
      write_section(kernel.table, behind, out);
    }
  }
}

std::vector<FooterCommand> read_footer(ByteReader& in, std::uint64_t end) {
  std::vector<FooterCommand> commands(in.count("a number of commands", 3));
  std::uint64_t behind = kHeadBytes;
  for (FooterCommand& command : commands) {
    const std::uint8_t kind = in.byte("a kind of command");
    if (kind == kKernelCommand) {
      KernelEntry kernel;
      kernel.header = read_header(in);
      kernel.table = read_section(in, behind, end);
      command = std::move(kernel);
    } else if (kind < kKernelCommand) {
      const std::uint64_t address = in.number("an address");
      command = Copy{static_cast<CopyKind>(kind), address, Bytes{in.number("bytes of a copy")}};
    } else {
      in.fail("a kind of command from 0 to 3", fmt::format("{}", kind));
    }
  }
  in.finish("the footer");
  return commands;
}

}  // namespace wg::trace::native
