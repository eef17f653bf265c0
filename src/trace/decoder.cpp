// From the text of one CTA to records. The static part of a line is compared with what was seen at the same
// PC before, so that only the first sight of an instruction is taken apart.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "trace/addresses.hpp"
#include "trace/inst_table.hpp"
#include "trace/kernel_file.hpp"
#include "trace/raw_lines.hpp"
#include "trace/spelling.hpp"

namespace wg::trace {
namespace {

/// Entries of CtaTrace are numbered in 31 bits, and one instruction adds at most 32.
constexpr std::size_t kMaxAddresses = (std::size_t{1} << 31) - 64;
constexpr std::size_t kMaxInsts = (std::size_t{1} << 32) - 1;
constexpr std::size_t kShortestLine = 10;  // "0 0 0 A 0 0"

class TextDecoder final : public CtaDecoder {
 public:
  explicit TextDecoder(std::shared_ptr<const KernelFile> file)
      : file_(std::move(file)),
        header_(file_->parsed.header),
        raw_(file_->parsed.layout == Layout::raw),
        with_ids_(header_.tracer_version < 3),
        table_(table_for(header_)) {}

  void decode(const CtaBlob& blob, CtaTrace& out) override {
    out.clear();
    blob_ = &blob;
    out_ = &out;
    end_ = blob.text.data() + blob.text.size();
    seen_warps_ = 0;
    if (!blob.text.ends_with('\n')) {
      fail(end_, "the end of the line", "the end of the block");
    }
    const char* p = scan_block_header(blob.text, header_.grid, out.index, fault_);
    for (p = skip_empty_lines(checked(p)); p != end_; p = skip_empty_lines(p)) {
      p = decode_warp(p);
    }
    complete_warps();
  }

  [[nodiscard]] std::span<const isa::StaticInst> instructions() const override { return insts_; }
  [[nodiscard]] std::string_view mnemonic(std::uint32_t index) const override {
    return spellings_[index].mnemonic;
  }
  [[nodiscard]] isa::RawInst spelling(std::uint32_t index) const override {
    return spellings_[index].raw(header_.tracer_version >= 6);
  }

 private:
  enum class ImmColumn : std::uint8_t { unknown, absent, present, mixed };

  static const isa::OpcodeTable& table_for(const KernelHeader& header) {
    isa::Generation generation{};
    isa::generation_of(header.binary_version, generation);
    return isa::table_of(generation);
  }

  const char* decode_warp(const char* p) {
    const std::uint64_t warp = key_number(p, "warp");
    if (warp >= header_.warps_per_cta()) {
      fail(p, fmt::format("a warp from 0 to {}", header_.warps_per_cta() - 1), shown_line(p));
    }
    if ((seen_warps_ >> warp & 1) != 0) {
      fail(p, "each warp once", fmt::format("a second warp {}", warp));
    }
    seen_warps_ |= std::uint64_t{1} << warp;
    warp_ = static_cast<std::uint32_t>(warp);
    p = skip_empty_lines(line_end(p));
    declared_ = key_number(p, "insts");
    const char* const declaration = p;
    p = line_end(p);

    const std::size_t first = out_->insts.size();
    if (declared_ > static_cast<std::size_t>(end_ - p) / kShortestLine || first + declared_ > kMaxInsts) {
      ordinal_ = 0;
      fail(declaration, "at most the instructions that follow", shown_line(declaration));
    }
    out_->insts.resize(first + declared_);
    const std::size_t kept = decode_lines(p, first);
    out_->insts.resize(first + kept);
    out_->warps.push_back({warp_, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(kept)});
    return after_lines_;
  }

  /// Decodes `declared_` lines into records from `first` on; returns how many records they make.
  std::size_t decode_lines(const char* p, std::size_t first) {
    std::size_t kept = 0;
    for (ordinal_ = 0; ordinal_ < declared_; ++ordinal_) {
      if (is_blank(*p) || *p == '\n') {
        p = skip_empty_lines(p);
      }
      DynInst& inst = out_->insts[first + kept];
      p = decode_line(p, inst);
      kept += insts_table_.at(last_).kind == LineKind::pseudo ? 0U : 1U;
    }
    after_lines_ = skip_empty_lines(p);
    if (after_lines_ != end_ && *after_lines_ != 'w') {
      fail(after_lines_, fmt::format("the next warp after {} instructions of warp {}", declared_, warp_),
           shown_line(after_lines_));
    }
    return kept;
  }

  const char* decode_line(const char* p, DynInst& inst) {
    const char* const start = p;
    if (with_ids_) {
      p = skip_ids(p);
    }
    std::uint64_t line = 0;
    if (header_.line_info) {
      p = scan_decimal(skip_blanks(p), line);
      if (p == nullptr || !is_blank(*p)) {
        fail(start, "a line number (`enable lineinfo` is 1)", shown_line(start));
      }
      p = skip_blanks(p);
    }
    std::uint64_t pc = 0;
    std::uint64_t mask = 0;
    const char* const pc_end = scan_hex(p, pc);
    if (pc_end == nullptr || !is_blank(*pc_end)) {
      bad_pc(p);
    }
    const char* const mask_at = skip_blanks(pc_end);
    p = scan_hex(mask_at, mask);
    if (p == nullptr || !is_blank(*p) || p - mask_at > 8) {
      fail(mask_at, "a mask of 8 hexadecimal digits", shown_line(mask_at));
    }
    p = skip_blanks(p);
    inst.mask = static_cast<std::uint32_t>(mask);
    inst.address = DynInst::kNoAddress;

    const std::uint32_t line32 = static_cast<std::uint32_t>(line);
    std::uint32_t number =
        insts_table_.find(insts_table_.at(last_).follow, pc, line32, p, static_cast<std::size_t>(end_ - p));
    if (number == 0) {
      number = first_sight(pc, line32, p);
    }
    insts_table_.set_follow(last_, number);
    last_ = number;
    const Variant& variant = insts_table_.at(number);
    inst.inst = variant.inst;
    p += variant.key_length;
    if (variant.kind == LineKind::plain) {
      return *p == '\n' ? p + 1 : checked(skip_line_tail(p, header_.tracer_version, fault_));
    }
    return decode_tail(p, inst, variant);
  }

  /// What follows the static part of anything but a plain instruction.
  const char* decode_tail(const char* p, DynInst& inst, const Variant& variant) {
    if (variant.kind == LineKind::pseudo) {
      const std::string_view rest = line_at(p);
      return rest.data() + rest.size() + 1;
    }
    if (out_->addresses.size() > kMaxAddresses) {
      fail(p, "at most 2^31 addresses in one thread block", "more");
    }
    const char* const field = p;
    p = checked(variant.kind == LineKind::bulk ? scan_bulk(p, inst, *out_, fault_)
                                               : scan_addresses(p, end_, inst, *out_, fault_));
    std::int32_t imm = 0;
    int count = 0;
    const char* const numbers_end = scan_immediates(p, header_.tracer_version, imm, count);
    if (numbers_end == nullptr) {
      fail(skip_blanks(p), "a decimal immediate or the end of the line", shown_line(skip_blanks(p)));
    }
    check_count(field, skip_blanks(p), numbers_end, variant, count > 0, inst.mask);
    if (imm != variant.imm) {
      with_imm(inst, imm);
    }
    return checked(skip_line_tail(numbers_end, header_.tracer_version, fault_));
  }

  /// One number too many or too few is told from the immediate by what the other lines of the file do.
  void check_count(const char* field, const char* at, const char* rest, const Variant& variant, bool has_imm,
                   std::uint32_t mask) {
    const bool missing = imm_column_ == ImmColumn::present && !has_imm;
    const bool surplus = (imm_column_ == ImmColumn::absent && has_imm) || is_digit(*skip_blanks(rest)) ||
                         *skip_blanks(rest) == '-';
    if (surplus || (missing && variant.kind == LineKind::memory && *skip_blanks(field) == '2')) {
      fail(at, fmt::format("as many addresses as mask {:08x} has lanes ({})", mask, std::popcount(mask)),
           surplus ? "more numbers at " + shown_line(at) : "one number fewer, or no immediate");
    }
  }

  /// Moves `inst` to the static instruction that differs from its present one in the immediate alone.
  void with_imm(DynInst& inst, std::int32_t imm) {
    std::uint32_t number = insts_table_.find_imm(last_, imm);
    if (number == 0) {
      Variant variant = insts_table_.at(last_);
      isa::StaticInst copy = insts_[variant.inst];
      Spelling spelling = spellings_[variant.inst];
      copy.imm = imm;
      spelling.imm = imm;
      variant.imm = imm;
      variant.inst = add_inst(copy, std::move(spelling));
      number = insts_table_.add(variant, {variant.key, variant.key_length});
    }
    last_ = number;
    inst.inst = insts_table_.at(number).inst;
  }

  std::uint32_t first_sight(std::uint64_t pc, std::uint32_t source_line, const char* p) {
    InstLine line;
    if (!scan_inst_line(p, header_.tracer_version, line, fault_)) {
      checked(nullptr);
    }
    Variant variant;
    variant.pc = pc;
    variant.line = source_line;
    variant.imm = line.imm;
    variant.kind = line.kind;
    if (line.kind == LineKind::plain) {
      note_imm_column(line.has_imm);
    }
    if (line.kind != LineKind::pseudo) {
      Spelling spelling;
      spelling.pc = pc;
      spelling.mnemonic = line.mnemonic;
      spelling.dst.assign(line.dst.begin(), line.dst.begin() + static_cast<std::ptrdiff_t>(line.dst_count));
      spelling.src.assign(line.src.begin(), line.src.begin() + static_cast<std::ptrdiff_t>(line.src_count));
      spelling.has_address = line.kind != LineKind::plain;
      spelling.traced_width = line.width;
      spelling.imm = line.imm;
      spelling.line = source_line;
      const isa::StaticInst inst = isa::decode(table_, spelling.raw(header_.tracer_version >= 6));
      variant.inst = add_inst(inst, std::move(spelling));
    }
    return insts_table_.add(variant, {p, line.key_length});
  }

  void note_imm_column(bool has_imm) {
    const ImmColumn now = has_imm ? ImmColumn::present : ImmColumn::absent;
    imm_column_ = imm_column_ == ImmColumn::unknown || imm_column_ == now ? now : ImmColumn::mixed;
  }

  std::uint32_t add_inst(const isa::StaticInst& inst, Spelling spelling) {
    insts_.push_back(inst);
    spellings_.push_back(std::move(spelling));
    return static_cast<std::uint32_t>(insts_.size() - 1);
  }

  /// Version 1 and 2 repeat block and warp on every line; the block's own lines have told them already.
  const char* skip_ids(const char* p) {
    const char* const start = p;
    for (int i = 0; i < 4; ++i) {
      std::uint64_t id = 0;
      p = scan_decimal(p, id);
      if (p == nullptr || !is_blank(*p)) {
        fail(start, "block x, y, z and warp before the PC (tracer versions below 3)", shown_line(start));
      }
      p = skip_blanks(p);
    }
    return p;
  }

  void complete_warps() {
    const std::uint32_t warps = header_.warps_per_cta();
    if (out_->warps.size() != warps) {
      warp_ = static_cast<std::uint32_t>(std::countr_one(seen_warps_));
      fail(end_, fmt::format("warps 0 to {} in block {}", warps - 1, text_of(out_->index)),
           fmt::format("no warp {}", warp_));
    }
    const auto by_index = [](const WarpTrace& a, const WarpTrace& b) { return a.warp < b.warp; };
    if (!std::is_sorted(out_->warps.begin(), out_->warps.end(), by_index)) {
      std::sort(out_->warps.begin(), out_->warps.end(), by_index);
    }
  }

  /// The value of a line "`key` = n".
  std::uint64_t key_number(const char* p, std::string_view key) {
    const char* const value = match_key(p, key);
    std::uint64_t n = 0;
    const char* const end = value == nullptr ? nullptr : scan_decimal(value, n);
    if (end == nullptr || *skip_blanks(end) != '\n') {
      fail(p, fmt::format("`{} = n`", key), p == end_ ? "the end of the block" : shown_line(p));
    }
    return n;
  }
  static const char* line_end(const char* p) {
    const std::string_view line = line_at(p);
    return line.data() + line.size();
  }

  [[noreturn]] void bad_pc(const char* p) {
    if (p == end_ || *p == 'w' || *p == '#') {
      fail(p, fmt::format("{} instructions in warp {}", declared_, warp_), fmt::format("{}", ordinal_));
    }
    fail(p, "an instruction (PC, mask, ...)", shown_line(p));
  }

  const char* checked(const char* p) {
    if (p == nullptr) {
      fail(fault_.at, std::move(fault_.expected), std::move(fault_.found));
    }
    return p;
  }

  [[noreturn]] void fail(const char* at, std::string expected, std::string found) {
    const std::size_t before = static_cast<std::size_t>(at - blob_->text.data());
    std::uint64_t line = blob_->line + count_newlines(std::string_view(blob_->text).substr(0, before));
    if (raw_) {
      line = find_raw_line(*file_, linear_index(out_->index, header_.grid), warp_, ordinal_);
    }
    throw Error(Problem{fmt::format("{}:{}", file_->name, line), std::move(expected), std::move(found), ""});
  }

  std::shared_ptr<const KernelFile> file_;
  const KernelHeader& header_;
  bool raw_;
  bool with_ids_;
  const isa::OpcodeTable& table_;
  InstTable insts_table_;
  std::vector<isa::StaticInst> insts_;
  std::deque<Spelling> spellings_;
  ImmColumn imm_column_ = ImmColumn::unknown;
  std::uint32_t last_ = 0;  ///< variant of the line before

  // Of the block at hand.
  const CtaBlob* blob_ = nullptr;
  CtaTrace* out_ = nullptr;
  const char* end_ = nullptr;
  const char* after_lines_ = nullptr;
  BlockFault fault_;
  std::uint64_t seen_warps_ = 0;
  std::uint64_t declared_ = 0;
  std::uint64_t ordinal_ = 0;  ///< lines of the warp before the present one
  std::uint32_t warp_ = 0;
};

}  // namespace

std::unique_ptr<CtaDecoder> make_decoder(std::shared_ptr<const KernelFile> file) {
  return std::make_unique<TextDecoder>(std::move(file));
}

}  // namespace wg::trace
