#include "trace/kernels_list.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "trace/block_reader.hpp"
#include "trace/scan.hpp"

namespace wg::trace {
namespace {

std::optional<CopyKind> copy_kind(std::string_view text) {
  if (text.find("HtoD") != std::string_view::npos) {
    return CopyKind::host_to_device;
  }
  if (text.find("DtoH") != std::string_view::npos) {
    return CopyKind::device_to_host;
  }
  if (text.find("DtoD") != std::string_view::npos) {
    return CopyKind::device_to_device;
  }
  return std::nullopt;
}

/// The first hexadecimal field is the address (of the destination, where there are two), the first decimal
/// one behind it the size.
bool copy_numbers(const std::string& line, Copy& copy) {
  bool have_address = false;
  for (std::size_t comma = line.find(','); comma != std::string::npos; comma = line.find(',', comma + 1)) {
    const char* const field = skip_blanks(line.c_str() + comma + 1);
    const bool hex = field[0] == '0' && field[1] == 'x';
    std::uint64_t value = 0;
    const char* end = hex ? scan_address(field, value) : scan_decimal(field, value);
    if (end == nullptr || (*skip_blanks(end) != ',' && *skip_blanks(end) != '\0')) {
      if (hex || is_digit(*field) || *field == '-') {
        return false;
      }
      continue;
    }
    if (hex && !have_address) {
      copy.address = value;
      have_address = true;
    } else if (!hex && have_address) {
      copy.bytes = Bytes{value};
      return true;
    }
  }
  return false;
}

}  // namespace

KernelsList parse_kernels_list(std::string_view text, const std::string& name) {
  KernelsList list;
  std::map<std::string, std::uint64_t> skipped;
  std::uint64_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t newline = text.find('\n');
    std::string line(text.substr(0, newline));
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    line.erase(line.find_last_not_of(" \t\r") + 1);
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    const std::string word = line.substr(0, line.find(','));
    const std::optional<CopyKind> kind = copy_kind(line);
    if (line.starts_with("Memcpy") && kind) {
      Copy copy;
      copy.kind = *kind;
      if (copy_numbers(line, copy)) {
        list.entries.emplace_back(copy);
      } else {
        list.problems.push_back(
            {fmt::format("{}:{}", name, number), "`Memcpy...,0x<address>,<bytes>`", quoted(line), ""});
      }
    } else if (line.starts_with("kernel") || line.find(".trace") != std::string::npos) {
      list.entries.emplace_back(KernelEntry{std::move(line), number});
    } else {
      ++skipped[word];
    }
  }
  for (const auto& [word, count] : skipped) {
    list.warnings.push_back(fmt::format("{}: {} line{} {} skipped: neither a copy nor a kernel", name, count,
                                        count == 1 ? "" : "s", quoted(word)));
  }
  return list;
}

}  // namespace wg::trace
