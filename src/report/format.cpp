#include "report/format.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/text.hpp"

namespace wg::report {

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string percent(double share) {
  if (!std::isfinite(share)) {
    return "-";
  }
  if (share > 0 && share < 0.0005) {
    return "<0.1 %";
  }
  return fmt::format("{:.1f} %", share * 100);
}

std::string compact(double value) {
  if (!std::isfinite(value)) {
    return "-";
  }
  const double size = std::fabs(value);
  if (size >= 999.5) {
    return fmt::format("{}{}", value < 0 ? "-" : "", grouped(static_cast<std::uint64_t>(std::llround(size))));
  }
  const int decimals = size >= 99.95 ? 1 : size >= 1 || size == 0 ? 2 : 4;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string si(double value, std::string_view unit) {
  static constexpr std::array<std::string_view, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  if (!std::isfinite(value)) {
    return "-";
  }
  std::size_t prefix = 0;
  double scaled = value;
  while (std::fabs(scaled) >= 999.95 && prefix + 1 < kPrefixes.size()) {
    scaled /= 1000;
    ++prefix;
  }
  const int decimals = std::fabs(scaled) >= 99.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}{}", scaled, decimals, kPrefixes[prefix], unit);
}

std::string clock(std::uint64_t hertz) { return grouped((hertz + 500'000) / 1'000'000) + " MHz"; }

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string bytes(std::uint64_t count) {
  static constexpr std::array<std::string_view, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double scaled = static_cast<double>(count);
  std::size_t unit = 0;
  while (scaled >= 1024 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", count) : fmt::format("{:.1f} {}", scaled, kUnits[unit]);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) {
    return "-";
  }
  if (seconds >= 3600) {
    const auto minutes = static_cast<std::uint64_t>(seconds / 60);
    return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  }
  if (seconds >= 60) {
    const auto whole = static_cast<std::uint64_t>(seconds);
    return fmt::format("{} min {} s", whole / 60, whole % 60);
  }
  if (seconds == 0 || seconds >= 1) {
    return fmt::format("{:.2f} s", seconds);
  }
  if (seconds >= 1e-3) {
    return fmt::format("{:.2f} ms", seconds * 1e3);
  }
  return seconds >= 1e-6 ? fmt::format("{:.2f} us", seconds * 1e6) : fmt::format("{:.1f} ns", seconds * 1e9);
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cut(std::string_view text, std::size_t columns) {
  if (width(text) <= columns) {
    return std::string(text);
  }
  std::string out;
  std::size_t seen = 0;
  const std::size_t keep = columns >= 4 ? columns - 2 : columns;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U && seen++ == keep) {
      break;
    }
    out += c;
  }
  return columns >= 4 ? out + ".." : out;
}

std::string pad(std::string_view text, std::size_t columns) {
  std::string out = cut(text, columns);
  return out.append(columns - width(out), ' ');
}

std::string pad_left(std::string_view text, std::size_t columns) {
  std::string out = cut(text, columns);
  return std::string(columns - width(out), ' ') + out;
}

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || plain == nullptr) {
    return printable(name);
  }
  std::string out = plain.get();
  int depth = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    depth += out[i] == '<' ? 1 : out[i] == '>' ? -1 : 0;
    const bool anonymous = out.compare(i, 21, "(anonymous namespace)") == 0;
    if (out[i] == '(' && depth == 0 && i > 0 && !anonymous) {
      out.resize(i);
      break;
    }
  }
  return out.starts_with("void ") ? out.substr(5) : out;
}

std::string bar(double share, std::size_t columns, bool unicode) {
  static constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clean = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const double cells = clean * static_cast<double>(columns);
  std::string out;
  if (!unicode) {
    return out.append(static_cast<std::size_t>(std::llround(cells)), '#');
  }
  const auto eighths = static_cast<std::size_t>(std::llround(cells * 8));
  for (std::size_t i = 0; i < eighths / 8; ++i) {
    out += "█";
  }
  return out += kEighths[eighths % 8];
}

}  // namespace wg::report
