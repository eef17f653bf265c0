#include "codec/support.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace wg::codec::test {

Bytes from_hex(const std::string& digits) {
  std::string plain;
  for (const char c : digits) {
    if (c != ' ') {
      plain += c;
    }
  }
  Bytes out;
  for (std::size_t i = 0; i + 1 < plain.size(); i += 2) {
    out.push_back(static_cast<std::byte>(std::stoul(plain.substr(i, 2), nullptr, 16)));
  }
  return out;
}

Bytes sparse(std::size_t count, std::size_t element, double density, Rng& rng) {
  Bytes out(count * element);
  const auto limit = static_cast<std::uint64_t>(density * 1e6);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = rng.next() | 1;
    if (rng.below(1'000'000) < limit) {
      std::memcpy(out.data() + i * element, &value, element);
    }
  }
  return out;
}

Bytes noise(std::size_t bytes, Rng& rng) { return sparse(bytes, 1, 0.97, rng); }

std::vector<Bytes> hard_cases(std::size_t element) {
  Rng rng(element);
  std::vector<Bytes> cases;
  for (const std::size_t count : std::initializer_list<std::size_t>{0, 1, 2, 31, 32, 33, 63, 64, 65, 127,
                                                                    1023, 1024, 1025, 2049, 5000}) {
    for (const double density : {0.0, 0.02, 0.5, 0.98, 1.0}) {
      cases.push_back(sparse(count, element, density, rng));
    }
  }
  for (std::size_t rest = 1; rest < element; ++rest) {
    cases.push_back(sparse(100, element, 0.5, rng));
    const Bytes more = noise(rest, rng);
    cases.back().insert(cases.back().end(), more.begin(), more.end());
  }
  for (const std::size_t period : std::initializer_list<std::size_t>{2, 3, 5, 32, 129, 1025}) {
    for (const bool inverted : {false, true}) {
      Bytes data(3000 * element);
      for (std::size_t i = 0; i < 3000; ++i) {
        if ((i % period == 0) != inverted) {
          data[i * element + i % element] = std::byte{0x80};  // one bit, in a different byte each time
        }
      }
      cases.push_back(std::move(data));
    }
  }
  return cases;
}

Bytes encode(WindowCodec& codec, std::span<const std::byte> raw) {
  Bytes out(codec.bound(raw.size()));
  const Outcome outcome = codec.encode(raw, out);
  EXPECT_TRUE(outcome.ok()) << text_of(outcome.status) << " for " << raw.size() << " bytes";
  out.resize(outcome.ok() ? outcome.bytes : 0);
  return out;
}

Bytes read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in || text.empty()) {
    throw std::runtime_error("cannot read " + path);
  }
  const auto view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

std::string data_path(const std::string& file) { return WG_SOURCE_DIR "/tests/codec/data/" + file; }

std::vector<GoldenMap> golden_maps() {
  std::ifstream in(data_path("MANIFEST.tsv"));
  std::string line;
  std::getline(in, line);  // titles
  std::vector<GoldenMap> maps;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    GoldenMap map;
    std::string shape;
    fields >> map.file >> shape >> map.bytes >> map.nonzeros >> map.zvc >> map.rle16 >> map.deflate;
    maps.push_back(map);
  }
  return maps;
}

}  // namespace wg::codec::test
