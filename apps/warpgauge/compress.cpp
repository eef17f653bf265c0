#include <fmt/format.h>

#include <span>

#include "base/error.hpp"
#include "codec/measure.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/compression.hpp"
#include "report/files.hpp"

namespace wg::app {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

void write(const std::string& path, std::span<const std::byte> content) {
  report::write_file(path, {reinterpret_cast<const char*>(content.data()), content.size()});
}

[[noreturn]] void usage(const char* command, const char* expected, std::string found) {
  throw Error({.where = command, .expected = expected, .found = std::move(found)}, ExitCode::usage);
}

}  // namespace

int compress(const CompressArguments& a) {
  if (a.files.size() != 1 || a.out.empty()) {
    usage("warpgauge compress", "one FILE and --out, or --report",
          a.out.empty() ? "no --out" : fmt::format("{} files", a.files.size()));
  }
  if (!a.json.empty()) {
    usage("warpgauge compress", "--json with --report only", "--json " + a.json);
  }
  const codec::TensorSpec spec{.codec = codec::codec_named(a.codec.empty() ? "zvc" : a.codec),
                               .layout = codec::layout_named(a.layout.empty() ? "nchw" : a.layout),
                               .window = a.window};
  const std::string& path = a.files.front();
  refuse_files_in_use({path}, {a.out});
  const std::string npy = report::read_file(path);
  const std::vector<std::byte> file = codec::compress_npy(bytes_of(npy), path, spec);
  write(a.out, file);
  print(fmt::format("{}: {} bytes, {}: {} bytes, ratio {:.3f}\n", path, npy.size(), a.out, file.size(),
                    codec::ratio(npy.size(), file.size())));
  return 0;
}

int compress_report(const CompressArguments& a) {
  if (!a.out.empty()) {
    usage("warpgauge compress --report", "no --out (--json writes the report)", a.out);
  }
  codec::MeasureSpec spec{.codecs = {}, .layouts = {}, .window = a.window};
  if (!a.codec.empty()) {
    spec.codecs.push_back(codec::codec_named(a.codec));
  }
  if (!a.layout.empty()) {
    spec.layouts.push_back(codec::layout_named(a.layout));
  }
  refuse_files_in_use(a.files, {a.json});
  if (!a.json.empty()) {
    report::require_writable(a.json);
  }
  std::vector<codec::MapFigures> maps;
  for (const std::string& path : a.files) {
    maps.push_back(codec::measure_npy(bytes_of(report::read_file(path)), path, spec));
  }
  if (!a.json.empty()) {
    report::write_file(a.json, report::compression_json(maps));
  }
  print(report::compression_text(maps));
  return 0;
}

}  // namespace wg::app
