// A recorded workload: commands in order (memory copies and kernels); a kernel's CTAs stream in issue order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/units.hpp"
#include "isa/inst.hpp"

namespace wg::trace {

struct Dim3 {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

struct KernelHeader {
  /// What shared memory and local memory take of the generic address space, each; bases in recorded traces
  /// are multiples of it.
  static constexpr std::uint64_t kWindowBytes = std::uint64_t{16} << 20;

  std::string name;  ///< mangled
  std::uint64_t id = 0;
  Dim3 grid;
  Dim3 block;
  Bytes shared_bytes;                ///< static + dynamic, per CTA
  std::uint32_t registers = 0;       ///< per thread
  std::uint32_t binary_version = 0;  ///< SM version, 61, 70, 90 ...
  std::uint64_t stream = 0;
  std::uint64_t shared_base = 0;     ///< start of the generic window of shared memory, 0 unknown
  std::uint64_t local_base = 0;      ///< likewise local memory
  std::uint32_t tracer_version = 0;  ///< major number
  std::string nvbit_version;
  bool line_info = false;

  [[nodiscard]] std::uint32_t threads_per_cta() const { return static_cast<std::uint32_t>(block.count()); }
  [[nodiscard]] std::uint32_t warps_per_cta() const { return (threads_per_cta() + 31) / 32; }
};

enum class CopyKind : std::uint8_t { host_to_device, device_to_host, device_to_device };
struct Copy {
  CopyKind kind = CopyKind::host_to_device;
  std::uint64_t address = 0;  ///< device address
  Bytes bytes;
};

/// One executed warp instruction. `mask` bit i = lane i executes it; 0 = predicated off for all lanes.
struct DynInst {
  static constexpr std::uint32_t kNoAddress = ~std::uint32_t{0};
  std::uint32_t inst = 0;  ///< index into CtaDecoder::instructions()
  std::uint32_t mask = 0;
  std::uint32_t address =
      kNoAddress;  ///< form: (offset into CtaTrace::addresses) * 2 + (1 = list, 0 = strided)
};

/// Addresses of one access. Strided: active lane number i (counted over active lanes) has base + i * stride.
/// List: one address per active lane in lane order.
struct AddressForm {
  bool strided = true;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  std::span<const std::uint64_t> list;

  /// Address of the `active`-th active lane.
  [[nodiscard]] std::uint64_t at(std::uint32_t active) const {
    return strided ? base + static_cast<std::uint64_t>(stride) * active : list[active];
  }
};

struct WarpTrace {
  std::uint32_t warp = 0;   ///< index inside the CTA
  std::uint32_t first = 0;  ///< first entry in CtaTrace::insts
  std::uint32_t count = 0;
};

/// All of one CTA, decoded. Reused by its owner: `clear()` keeps capacity.
struct CtaTrace {
  Dim3 index;
  std::vector<DynInst> insts;
  std::vector<WarpTrace> warps;  ///< in warp order, every warp of the block once
  std::vector<std::uint64_t>
      addresses;  ///< strided: base, stride (two's complement); list: popcount(mask) entries

  void clear();
  void add_strided(DynInst& inst, std::uint64_t base, std::int64_t stride);
  void add_list(DynInst& inst, std::span<const std::uint64_t> lanes);
  /// The addresses of `inst`, which must have some.
  [[nodiscard]] AddressForm form(const DynInst& inst) const;
};

/// A CTA not yet decoded: text of a trace file, or just the number of a CTA for a builder kernel.
struct CtaBlob {
  std::uint64_t number = 0;  ///< 0-based place in issue order
  std::uint64_t offset = 0;  ///< byte offset of `text` in the (uncompressed) file, for messages
  std::uint64_t line = 0;    ///< line number of the first line of `text`, for messages
  std::string text;
};

/// Hands out the CTAs of a kernel in issue order. One user at a time.
class CtaSource {
 public:
  virtual ~CtaSource() = default;
  /// Fills `out` (reusing its storage) and returns true, or returns false after the last CTA. Throws
  /// wg::Error.
  virtual bool next(CtaBlob& out) = 0;
};

/// Turns blobs into records. Each user (an SM) has its own, so decoding needs no lock; the numbering of
/// static instructions is the decoder's own and only grows.
class CtaDecoder {
 public:
  virtual ~CtaDecoder() = default;
  /// `out` is cleared first. Throws wg::Error with file and line.
  virtual void decode(const CtaBlob& blob, CtaTrace& out) = 0;
  [[nodiscard]] virtual std::span<const isa::StaticInst> instructions() const = 0;
  /// Full mnemonic of instruction `index`.
  [[nodiscard]] virtual std::string_view mnemonic(std::uint32_t index) const = 0;
  /// Instruction `index` as a trace spells it, for writing traces; views are valid until the next `decode`.
  /// The default throws std::logic_error: not every kernel can be written.
  [[nodiscard]] virtual isa::RawInst spelling(std::uint32_t index) const;
};

/// A kernel launch. Opening its header is cheap; bodies stream.
class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual const KernelHeader& header() const = 0;
  [[nodiscard]] virtual std::unique_ptr<CtaSource> open() const = 0;
  [[nodiscard]] virtual std::unique_ptr<CtaDecoder> decoder() const = 0;
};

using Command = std::variant<Copy, std::shared_ptr<const Kernel>>;

struct Workload {
  std::string name;               ///< as the user gave it
  std::vector<Command> commands;  ///< in program order
  /// XXH3 of the list and of name, size and first MiB of its files (or of builder arguments).
  std::uint64_t hash = 0;
  std::vector<std::string> warnings;  ///< what was passed over while opening, one line each
  std::vector<std::string> files;     ///< paths it is read from: list and kernels; none for a builder kernel
};

/// Opens `kernelslist`, `kernelslist.g`, `kernelslist_ctx_*` (or a directory holding one, or without one the
/// directory's kernel-N files in order of N), a single kernel file (plain, .xz, .gz, .zst) or a native trace
/// (.wgt). Headers are read and checked, bodies are not. Throws wg::Error naming file and line.
Workload open_trace(const std::string& path);

}  // namespace wg::trace
