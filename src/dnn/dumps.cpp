#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "codec/measure.hpp"
#include "dnn/densities.hpp"

namespace wg::dnn {
namespace {

namespace fs = std::filesystem;
using codec::CodecId;

struct Dump {
  fs::path path;
  std::string layer;
  std::uint64_t iteration = 0;
};

/// LAYER_itN or LAYER_itN_ANYTHING; the first "_it" that a number follows counts.
std::optional<std::pair<std::string, std::uint64_t>> parse_name(const std::string& stem) {
  for (std::size_t at = stem.find("_it"); at != std::string::npos; at = stem.find("_it", at + 1)) {
    const char* begin = stem.data() + at + 3;
    const char* end = stem.data() + stem.size();
    std::uint64_t iteration = 0;
    const auto [rest, error] = std::from_chars(begin, end, iteration);
    if (at > 0 && error == std::errc{} && (rest == end || *rest == '_')) {
      return std::pair{stem.substr(0, at), iteration};
    }
  }
  return std::nullopt;
}

Dump named(const fs::path& path, const fs::path& below) {
  fs::path name = below;
  const auto parsed = parse_name(name.replace_extension().generic_string());
  if (!parsed) {
    throw Error({.where = path.string(),
                 .expected = "a name such as conv1_it100.npy: the layer, _it and the training iteration",
                 .found = fmt::format("\"{}\"", below.string())});
  }
  return {path, parsed->first, parsed->second};
}

std::vector<Dump> find_dumps(std::span<const std::string> paths) {
  std::vector<Dump> dumps;
  for (const std::string& text : paths) {
    const fs::path path(text);
    if (!fs::is_directory(path)) {
      dumps.push_back(named(path, path.filename()));
      continue;
    }
    const std::size_t before = dumps.size();
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && entry.path().extension() == ".npy") {
        dumps.push_back(named(entry.path(), entry.path().lexically_relative(path)));
      }
    }
    if (dumps.size() == before) {
      throw Error({.where = text, .expected = "a folder with .npy files", .found = "none"});
    }
  }
  return dumps;
}

std::vector<std::byte> content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::error_code none;
  if (!file || !fs::is_regular_file(path, none)) {
    throw Error({.where = path.string(), .expected = "a file that can be read", .found = "none"});
  }
  std::vector<std::byte> bytes(fs::file_size(path));
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()))) {
    throw Error(
        {.where = path.string(), .expected = "a file that can be read", .found = "an error of the system"});
  }
  return bytes;
}

void measure(const Dump& dump, DumpRow& row) {
  const codec::MapFigures map = codec::measure_npy(
      content(dump.path), dump.path.string(),
      {.codecs = {CodecId::zvc, CodecId::rle16, CodecId::deflate}, .layouts = {codec::Layout::nchw}});
  row.elements += map.header.elements();
  row.nonzeros += map.nonzeros;
  row.bytes += map.raw_bytes;
  for (const codec::CodecFigures& one : map.codecs) {
    std::uint64_t& sum = one.codec == CodecId::zvc     ? row.zvc_bytes
                         : one.codec == CodecId::rle16 ? row.rle_bytes
                                                       : row.deflate_bytes;
    sum += one.payload_bytes;
  }
}

}  // namespace

std::vector<DumpRow> measure_dumps(std::span<const std::string> paths) {
  std::map<std::pair<std::uint64_t, std::string>, DumpRow> rows;
  for (const Dump& dump : find_dumps(paths)) {
    DumpRow& row = rows[{dump.iteration, dump.layer}];
    row.iteration = dump.iteration;
    row.layer = dump.layer;
    measure(dump, row);
  }
  std::vector<DumpRow> list;
  for (auto& [key, row] : rows) {
    if (row.elements == 0 || row.layer.find(',') != std::string::npos) {
      throw Error({.where = row.layer,
                   .expected = "a layer whose name has no comma and whose dumps are not empty",
                   .found = row.elements == 0 ? "empty dumps" : "a comma"});
    }
    list.push_back(std::move(row));
  }
  return list;
}

std::string densities_csv(std::span<const DumpRow> rows) {
  std::string out = "iteration,layer,elements,density,zvc,rle,deflate\n";
  for (const DumpRow& row : rows) {
    const double raw = static_cast<double>(row.bytes);
    const auto ratio = [raw](std::uint64_t compressed) { return raw / static_cast<double>(compressed); };
    out += fmt::format("{},{},{},{:.6f},{:.4f},{:.4f},{:.4f}\n", row.iteration, row.layer, row.elements,
                       static_cast<double>(row.nonzeros) / static_cast<double>(row.elements),
                       ratio(row.zvc_bytes), ratio(row.rle_bytes), ratio(row.deflate_bytes));
  }
  return out;
}

}  // namespace wg::dnn
