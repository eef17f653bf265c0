#include "trace/inst_line.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isa/inst.hpp"
#include "trace/block_reader.hpp"
#include "trace/scan.hpp"

namespace wg::trace {
namespace {

std::string_view token_at(const char* p) {
  const char* end = p;
  while (!is_end(*end)) {
    ++end;
  }
  return {p, static_cast<std::size_t>(end - p)};
}

std::string shown(const char* p) {
  const std::string_view token = token_at(p);
  return token.empty() ? (*p == '\0' ? "a zero byte or the end of the text" : "the end of the line")
                       : quoted(token);
}

/// Numbers of one register file: "R12" is 12 of the file with prefix "R".
struct RegisterFile {
  std::string_view prefix;
  std::uint16_t first;       ///< number of its register 0 in isa/inst.hpp
  std::uint16_t last_index;  ///< the highest index, which reads as zero or true
  bool since_v6;
};
constexpr std::uint16_t kUniformPredicate0 = isa::kRegAnyPredicate + 1;
constexpr std::array<RegisterFile, 4> kFiles = {{
    {"UR", isa::kRegUniform0, 63, true},
    {"UP", kUniformPredicate0, 7, true},
    {"R", 0, 255, false},
    {"P", isa::kRegPredicate0, 7, true},
}};

/// True if `token` names a register of this version.
bool scan_register(std::string_view token, std::uint32_t version, std::uint16_t& out) {
  for (const RegisterFile& file : kFiles) {
    if (!token.starts_with(file.prefix)) {
      continue;
    }
    const char* const digits = token.data() + file.prefix.size();
    std::uint64_t index = 0;
    const char* const end = scan_decimal(digits, index);
    if (end != token.data() + token.size() || index > file.last_index || (file.since_v6 && version < 6)) {
      return false;
    }
    // The last of each file is the constant (RZ, URZ, PT, UPT): it orders nothing.
    out = index == file.last_index ? isa::kRegZero : static_cast<std::uint16_t>(file.first + index);
    return true;
  }
  return false;
}

class LineScanner {
 public:
  LineScanner(const char* p, std::uint32_t version, InstLine& line, BlockFault& fault)
      : start_(p), p_(p), version_(version), line_(line), fault_(fault) {}

  bool scan() {
    if (!registers(line_.dst, line_.dst_count, "destination") || !mnemonic()) {
      return false;
    }
    if (line_.mnemonic.starts_with("REPLAY_")) {
      line_.kind = LineKind::pseudo;
      line_.key_length = static_cast<std::size_t>(p_ - start_);
      return true;
    }
    return registers(line_.src, line_.src_count, "source") && gmma_flag() && width();
  }

 private:
  bool fail(std::string expected) {
    fault_ = {p_, std::move(expected), shown(p_)};
    return false;
  }

  bool number(std::uint64_t& out, std::uint64_t most, const char* what) {
    p_ = skip_blanks(p_);
    const char* const end = scan_decimal(p_, out);
    if (end == nullptr || !is_end(*end) || out > most) {
      return fail(fmt::format("the {} (0 to {})", what, most));
    }
    p_ = end;
    return true;
  }

  template <std::size_t N>
  bool registers(std::array<std::uint16_t, N>& out, std::size_t& count, const char* role) {
    std::uint64_t n = 0;
    if (!number(n, N, fmt::format("number of {} registers", role).c_str())) {
      return false;
    }
    count = n;
    for (std::size_t i = 0; i < n; ++i) {
      p_ = skip_blanks(p_);
      const std::string_view token = token_at(p_);
      if (!scan_register(token, version_, out[i])) {
        return fail(
            fmt::format("{} register {} of {} ({})", role, i + 1, n,
                        version_ < 6 ? "R0 to R255" : "R0 to R255, UR0 to UR63, P0 to P7, UP0 to UP7"));
      }
      p_ += token.size();
    }
    return true;
  }

  bool mnemonic() {
    p_ = skip_blanks(p_);
    const std::string_view token = token_at(p_);
    const auto letter = [](char c) { return c >= 'A' && c <= 'Z'; };
    bool good = !token.empty() && letter(token.front());
    for (const char c : token) {
      good = good && c > ' ' && c <= '~';
    }
    if (!good) {
      return fail("an opcode");
    }
    line_.mnemonic = token;
    p_ += token.size();
    return true;
  }

  /// Version 6 writes whether a warpgroup product commits.
  bool gmma_flag() {
    std::uint64_t flag = 0;
    const bool present = version_ >= 6 && line_.mnemonic.find("GMMA") != std::string_view::npos;
    return !present || number(flag, 1, "commit flag");
  }

  bool width() {
    std::uint64_t bytes = 0;
    if (!number(bytes, 65535, "memory width")) {
      return false;
    }
    line_.width = static_cast<std::uint8_t>(std::min<std::uint64_t>(bytes, 255));
    const char* end = p_;
    if (bytes != 0) {
      line_.kind = is_bulk() ? LineKind::bulk : LineKind::memory;
    } else {
      int count = 0;
      end = scan_immediates(p_, version_, line_.imm, count);
      if (end == nullptr) {
        p_ = skip_blanks(p_);
        return fail("a decimal immediate or the end of the line");
      }
      line_.has_imm = count > 0;
    }
    line_.key_length = static_cast<std::size_t>(end - start_);
    return true;
  }

  [[nodiscard]] bool is_bulk() const { return has_bulk_tail(line_.mnemonic, version_); }

  const char* start_;
  const char* p_;
  std::uint32_t version_;
  InstLine& line_;
  BlockFault& fault_;
};

/// "Val" is followed, for each register, by `1 <hex>` or `32` and 32 values.
const char* skip_values(const char* p) {
  for (p = skip_blanks(p); *p != '\n'; p = skip_blanks(p)) {
    std::uint64_t count = 0;
    p = scan_decimal(p, count);
    if (p == nullptr || (count != 1 && count != 32)) {
      return nullptr;
    }
    for (std::uint64_t i = 0, value = 0; i < count; ++i) {
      if (!is_blank(*p)) {
        return nullptr;
      }
      p = scan_address(skip_blanks(p), value);
      if (p == nullptr) {
        return nullptr;
      }
    }
    if (!is_end(*p)) {
      return nullptr;
    }
  }
  return p + 1;
}

}  // namespace

bool has_bulk_tail(std::string_view mnemonic, std::uint32_t version) {
  constexpr std::array<std::string_view, 7> kNames = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG",
                                                      "UBLKCP",  "UBLKPF",  "UBLKRED"};
  bool bulk = false;
  for (const std::string_view name : kNames) {
    bulk = bulk || mnemonic.find(name) != std::string_view::npos;
  }
  return version >= 6 && bulk;
}

bool scan_inst_line(const char* p, std::uint32_t version, InstLine& line, BlockFault& fault) {
  return LineScanner(p, version, line, fault).scan();
}

const char* scan_immediates(const char* p, std::uint32_t version, std::int32_t& imm, int& count) {
  const int most = version >= 6 ? 2 : 1;
  imm = 0;
  count = 0;
  for (const char* next = skip_blanks(p); count < most && (is_digit(*next) || *next == '-');
       next = skip_blanks(p)) {
    std::int64_t value = 0;
    next = scan_signed(next, value);
    if (next == nullptr || !is_end(*next)) {
      return nullptr;
    }
    // The tracer prints 32 bits; wider values of other writers lose their upper half in the same way.
    imm = count == 0 ? static_cast<std::int32_t>(value) : imm;
    ++count;
    p = next;
  }
  return p;
}

const char* skip_line_tail(const char* p, std::uint32_t version, BlockFault& fault) {
  p = skip_blanks(p);
  if (*p == '\n') {
    return p + 1;
  }
  const std::string_view token = token_at(p);
  const char* next = nullptr;
  if (token == "STORE_DATA") {
    const std::string_view rest = line_at(p);
    next = rest.data() + rest.size();
    next = *next == '\n' ? next + 1 : nullptr;
  } else if (version >= 6 && token == "NoVal") {
    next = skip_blanks(p + token.size());
    next = *next == '\n' ? next + 1 : nullptr;
  } else if (version >= 6 && token == "Val") {
    next = skip_values(p + token.size());
  }
  if (next == nullptr) {
    fault = {p, "the end of the instruction", shown_line(p)};
  }
  return next;
}

}  // namespace wg::trace
