#include "trace/addresses.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <span>

#include "trace/block_reader.hpp"
#include "trace/scan.hpp"
#include "trace/scan_list.hpp"

namespace wg::trace {
namespace {

const char* fail(BlockFault& fault, const char* at, std::string expected) {
  const char* const token = skip_blanks(at);
  const char* end = token;
  while (!is_end(*end)) {
    ++end;
  }
  fault = {token, std::move(expected),
           end == token ? "the end of the line" : quoted({token, static_cast<std::size_t>(end - token)})};
  return nullptr;
}

/// Adds one address per active lane, as base and stride where that says the same in less.
void add(CtaTrace& out, DynInst& inst, std::span<const std::uint64_t> lanes) {
  if (lanes.size() < 2) {
    out.add_strided(inst, lanes.empty() ? 0 : lanes[0], 0);
    return;
  }
  const std::uint64_t stride = lanes[1] - lanes[0];
  std::uint64_t irregular = 0;
  for (std::size_t i = 2; i < lanes.size(); ++i) {
    irregular |= lanes[i] - lanes[i - 1] - stride;
  }
  if (irregular == 0) {
    out.add_strided(inst, lanes[0], static_cast<std::int64_t>(stride));
  } else {
    out.add_list(inst, lanes);
  }
}

const char* scan_list(const char* p, DynInst& inst, CtaTrace& out, BlockFault& fault) {
  std::array<std::uint64_t, 32> lanes{};
  const auto count = static_cast<std::size_t>(std::popcount(inst.mask));
  for (std::size_t i = 0; i < count; ++i) {
    const char* const token = skip_blanks(p);
    const bool prefixed = token[0] == '0' && token[1] == 'x';  // else it is the immediate
    const char* const next = prefixed ? scan_hex(token + 2, lanes[i]) : nullptr;
    if (next == nullptr || !is_end(*next)) {
      return fail(fault, p,
                  fmt::format("{} addresses for mask {:08x}, here number {}", count, inst.mask, i + 1));
    }
    p = next;
  }
  add(out, inst, {lanes.data(), count});
  return p;
}

const char* scan_deltas(const char* p, const char* end, DynInst& inst, CtaTrace& out, BlockFault& fault) {
  std::array<std::uint64_t, 32> lanes{};
  const auto count = static_cast<std::size_t>(std::popcount(inst.mask));
  const char* next = scan_address(skip_blanks(p), lanes[0]);
  if (next == nullptr || !is_end(*next)) {
    return fail(fault, p, "a hexadecimal base address");
  }
  p = next;
  next = scan_differences(p, end, lanes[0], lanes.data() + 1, count == 0 ? 0 : count - 1);
  for (std::size_t i = 1; next == nullptr && i < count; ++i) {
    std::int64_t delta = 0;
    const char* const behind = scan_signed(skip_blanks(p), delta);
    if (behind == nullptr || !is_end(*behind)) {
      return fail(fault, p,
                  fmt::format("{} differences for mask {:08x}, here number {}", count - 1, inst.mask, i));
    }
    lanes[i] = lanes[i - 1] + static_cast<std::uint64_t>(delta);
    p = behind;
  }
  add(out, inst, {lanes.data(), count == 0 ? 1 : count});
  return next == nullptr ? p : next;
}

const char* scan_stride(const char* p, DynInst& inst, CtaTrace& out, BlockFault& fault) {
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  const char* next = scan_address(skip_blanks(p), base);
  if (next == nullptr || !is_end(*next)) {
    return fail(fault, p, "a hexadecimal base address");
  }
  p = next;
  next = scan_signed(skip_blanks(p), stride);
  if (next == nullptr || !is_end(*next)) {
    return fail(fault, p, "a decimal stride");
  }
  out.add_strided(inst, base, inst.mask == 0 ? 0 : stride);
  return next;
}

/// A cursor over the numbers of a TMA tail that remembers the first failure.
struct BulkScanner {
  const char* p;
  BlockFault& fault;
  bool good = true;

  std::uint64_t decimal(const char* what) {
    return take(what, [](const char* q, std::uint64_t& v) { return scan_decimal(q, v); });
  }
  std::uint64_t hex(const char* what) {
    return take(what, [](const char* q, std::uint64_t& v) { return scan_address(q, v); });
  }
  void difference() {
    take("a decimal difference", [](const char* q, std::uint64_t& v) {
      std::int64_t d = 0;
      const char* const end = scan_signed(q, d);
      v = static_cast<std::uint64_t>(d);
      return end;
    });
  }

 private:
  template <class Scan>
  std::uint64_t take(const char* what, Scan scan) {
    std::uint64_t value = 0;
    if (good) {
      const char* const next = scan(skip_blanks(p), value);
      good = next != nullptr && is_end(*next);
      if (!good) {
        fail(fault, p, what);
        return 0;
      }
      p = next;
    }
    return value;
  }
};

}  // namespace

const char* scan_addresses(const char* p, const char* end, DynInst& inst, CtaTrace& out, BlockFault& fault) {
  const char* const mode = skip_blanks(p);
  if (is_end(*mode) || !is_end(mode[1])) {
    return fail(fault, mode, "an address mode (0, 1 or 2)");
  }
  switch (*mode) {
    case '0':
      return scan_list(mode + 1, inst, out, fault);
    case '1':
      return scan_stride(mode + 1, inst, out, fault);
    case '2':
      return scan_deltas(mode + 1, end, inst, out, fault);
    default:
      return fail(fault, mode, "an address mode (0, 1 or 2)");
  }
}

const char* scan_bulk(const char* p, DynInst& inst, CtaTrace& out, BlockFault& fault) {
  BulkScanner scanner{p, fault};
  scanner.hex("the address of the barrier");
  if (scanner.decimal("the multicast flag (0 or 1)") != 0) {
    scanner.hex("the mask of CTAs of the multicast");
  }
  scanner.decimal("the number of bytes");
  scanner.decimal("the number of bytes out of bounds");
  const char* const mode_at = scanner.p;
  const std::uint64_t mode = scanner.decimal("an address mode (3 or 4)");
  if (scanner.good && mode != 3 && mode != 4) {
    return fail(fault, mode_at, "an address mode (3 or 4)");
  }
  const std::uint64_t base = mode == 4 ? scanner.hex("a hexadecimal base address") : 0;
  const std::uint64_t count = scanner.decimal("the number of addresses");
  std::uint64_t first = base;
  for (std::uint64_t i = 0; scanner.good && i < count; ++i) {
    if (mode == 3) {
      const std::uint64_t address = scanner.hex("a hexadecimal address");
      first = i == 0 ? address : first;
    } else if (i > 0) {
      scanner.difference();
    }
  }
  if (!scanner.good) {
    return nullptr;
  }
  if (count > 0) {
    out.add_strided(inst, first, 0);
  }
  return scanner.p;
}

}  // namespace wg::trace
