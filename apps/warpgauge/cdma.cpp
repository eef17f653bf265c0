#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/npy.hpp"
#include "base/text.hpp"
#include "codec/tensor_file.hpp"
#include "config/quantity.hpp"
#include "config/reader.hpp"
#include "host/cdma/copy.hpp"
#include "host/cdma/engine.hpp"
#include "options.hpp"
#include "places.hpp"
#include "rates.hpp"
#include "report/engine.hpp"
#include "report/files.hpp"

namespace wg::app {
namespace {

namespace engine = host::cdma;

constexpr double kMeanRatio = 2.6;  // of six networks: Rhu et al., HPCA 2018

[[noreturn]] void wrong(std::string where, std::string expected, std::string found,
                        ExitCode code = ExitCode::bad_input) {
  throw Error({.where = std::move(where), .expected = std::move(expected), .found = std::move(found)}, code);
}

/// Sets `figure` when the option was given.
template <class Unit>
void apply(const char* option, const std::string& text, config::Measure measure, Unit& figure) {
  if (text.empty()) {
    return;
  }
  std::uint64_t value = 0;
  std::string why;
  if (!config::parse_quantity(text, measure, value, why)) {
    wrong(option, std::string(config::describe(measure)), fmt::format("\"{}\": {}", text, why));
  }
  figure = Unit{value};
}

void apply_rate(const char* option, const std::string& text, BytesPerSecond& rate) {
  if (!text.empty()) {
    rate = BytesPerSecond{rate_of(option, text)};
  }
}

/// Gives `config` the link and the controllers of `reference` back unless `overrides` say how they are.
void keep_reference(const std::vector<std::string>& overrides, const engine::EngineConfig& reference,
                    engine::EngineConfig& config) {
  const auto set = [&overrides](std::string_view prefix) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [prefix](const std::string& one) { return trimmed(one).starts_with(prefix); });
  };
  if (!set("link.")) {
    config.link = reference.link;
    config.link_efficiency = reference.link_efficiency;
  }
  if (!set("dram.") && !set("clock.")) {
    config.controllers = reference.controllers;
    config.controller_rate = reference.controller_rate;
  }
}

engine::EngineConfig config_of(const CdmaArguments& a, std::vector<std::string>& inputs,
                               engine::Direction direction) {
  engine::EngineConfig config;
  if (!a.gpu.empty() || !a.overrides.empty()) {
    const std::string gpu = a.gpu.empty() ? "titan-x" : a.gpu;
    const config::LoadedMachine loaded = config::load(gpu, a.overrides, machine_places());
    inputs.insert(inputs.end(), loaded.files.begin(), loaded.files.end());
    const engine::EngineConfig reference = config;
    config = engine::engine_of(loaded.machine, direction);
    if (a.gpu.empty()) {  // --set alone changes what it names, not the link and the memory as well
      keep_reference(a.overrides, reference, config);
    }
  }
  if (!a.placement.empty()) {
    config.placement = engine::placement_named(a.placement);
  }
  using config::Measure;
  apply("--buffer", a.buffer, Measure::bytes, config.buffer);
  if (!a.link.empty()) {
    config.link = BytesPerSecond{link_rate(a.link)};
  }
  apply_rate("--port", a.port, config.port);
  apply_rate("--provision", a.provision, config.provision);
  apply_rate("--read-limit", a.read_limit, config.read_limit);
  if (!a.latency.empty()) {
    Picoseconds nanoseconds;
    apply("--latency", a.latency, Measure::nanoseconds, nanoseconds);
    config.latency = nanoseconds * 1000;
  }
  if (a.units != 0) {
    config.units = a.units;
  }
  engine::check(config, "warpgauge cdma");
  return config;
}

/// Where the sizes of lines come from: exactly one of the ways to say it, or the mean of the paper.
struct Source {
  std::string text;
  Bytes raw{64 * 1024 * 1024};
  std::vector<std::byte> data;  ///< of a map; `lines` looks into it
  std::unique_ptr<engine::LineSource> lines;
};

void read_map(const CdmaArguments& a, Bytes line, Source& source) {
  const std::string npy = report::read_file(a.map);
  const NpyArray array = read_npy(std::as_bytes(std::span(npy)), a.map);
  const codec::CodecId codec = codec::codec_named(a.codec.empty() ? "zvc" : a.codec);
  source.data =
      codec::data_in_layout(array, codec::layout_named(a.layout.empty() ? "nchw" : a.layout), a.map);
  source.raw = Bytes{source.data.size()};
  source.lines = engine::data_lines(source.data, line, codec, array.header.element_bytes());
  source.text = fmt::format("{}, {}", a.map, codec::info(codec).name);
}

void read_densities(const CdmaArguments& a, Bytes line, Source& source) {
  const engine::Densities file(report::read_file(a.densities), a.densities);
  if (!file.by_address()) {
    wrong(a.densities, "ranges: columns address and bytes", "rows about whole copies");
  }
  source.text = a.densities;
  source.lines = engine::piece_lines(
      line, sizeof(float), file.pieces(0, 0, source.raw, {engine::Compressibility::Kind::ratio, kMeanRatio}),
      1);
}

Source source_of(const CdmaArguments& a, Bytes line) {
  Source source;
  const bool ratio = a.ratio.has_value(), density = a.density.has_value(), map = !a.map.empty();
  const bool ranges = !a.densities.empty();
  if (int{ratio} + int{density} + int{map} + int{ranges} > 1) {
    wrong("warpgauge cdma", "one of --ratio, --density, --densities and --map", "more", ExitCode::usage);
  }
  if (!map && (!a.codec.empty() || !a.layout.empty())) {
    wrong("warpgauge cdma", "--codec and --layout with --map only", "no --map", ExitCode::usage);
  }
  if (map) {
    if (!a.bytes.empty()) {
      wrong("warpgauge cdma", "--bytes without --map", "both", ExitCode::usage);
    }
    read_map(a, line, source);
    return source;
  }
  apply("--bytes", a.bytes, config::Measure::bytes, source.raw);
  constexpr std::uint64_t kMost = std::uint64_t{16} << 30;  // every line is simulated: some seconds
  if (source.raw.count() == 0 || source.raw.count() > kMost) {
    wrong("--bytes", "1 B to 16 GiB, as every line is simulated (rates of larger copies are the same)",
          a.bytes);
  }
  if (density) {
    if (std::isnan(*a.density) || *a.density < 0 || *a.density > 1) {
      wrong("--density", "a density from 0 to 1", fmt::format("{}", *a.density));
    }
    source.text = fmt::format("density {}", *a.density);
    source.lines = engine::density_lines(line, sizeof(float), *a.density, 1);
    return source;
  }
  if (ranges) {
    read_densities(a, line, source);
    return source;
  }
  const double value = a.ratio.value_or(kMeanRatio);
  engine::check_ratio(value, "--ratio");
  source.text = fmt::format("ratio {}", value);
  source.lines = engine::constant_lines(line, value);
  return source;
}

}  // namespace

int cdma(const CdmaArguments& a) {
  const engine::Direction direction = a.prefetch ? engine::Direction::prefetch : engine::Direction::offload;
  std::vector<std::string> inputs{a.map, a.densities};
  const engine::EngineConfig config = config_of(a, inputs, direction);
  refuse_files_in_use(inputs, {a.json});
  const Source source = source_of(a, config.line);
  const report::EngineFigures figures{
      .config = config,
      .direction = direction,
      .source = source.text,
      .event = engine::transfer(config, direction, source.raw, *source.lines)};
  if (!a.json.empty()) {
    report::write_file(a.json, report::engine_json(figures));
  }
  if (!a.quiet) {
    print(fmt::format("Engine of {}{}\n",
                      a.gpu.empty() ? "the reference of Rhu et al., HPCA 2018 (no --gpu)" : printable(a.gpu),
                      a.overrides.empty() ? "" : ", with --set"));
    print(report::engine_text(figures));
  }
  return 0;
}

}  // namespace wg::app
