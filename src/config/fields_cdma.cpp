// The rows of the compressing DMA engine.
#include "config/fields_cdma.hpp"

namespace wg::config::detail {
namespace {

using C = CdmaConfig;

constexpr std::array<std::string_view, 7> kCodecs{"none",    "zvc",      "rle16",  "rle8",
                                                  "rle_val", "rle_zero", "deflate"};
constexpr std::array<std::string_view, 2> kModels{"event", "closed"};
constexpr std::array<std::string_view, 2> kPlacements{"mc", "dma"};
constexpr Range kRate{1'000'000, 100'000'000'000'000};

template <auto Member>
Field cdma(const char* name, const char* doc) {
  return bind<&Machine::cdma, Member>(std::string("cdma.") + name, doc);
}

}  // namespace

void add_cdma(std::vector<Field>& rows) {
  const auto add = [&](Field field) { rows.push_back(std::move(field)); };
  add(choice(cdma<&C::codec>("codec", "LinkCodec part; none = plain copies"), kCodecs));
  add(number(cdma<&C::ratio>("ratio", "Raw over compressed bytes where no file says it"), {10, 10'000'000},
             "", Measure::thousandths));
  add(cdma<&C::densities>("densities", "File with densities or ratios; none = cdma.ratio for all"));
  add(number(cdma<&C::element>("element", "Size of a value"), {1, 8}, "bytes"));
  add(choice(cdma<&C::model>("model", "Line by line, or the closed form"), kModels));
  add(choice(cdma<&C::placement>("placement", "Units at the memory controllers or in the copy engine"),
             kPlacements));
  add(cdma<&C::overlap>("overlap", "Copies to the host run beside the next kernel, for DRAM as well"));
  add(cdma<&C::uvm>("uvm", "Migrations of unified memory are compressed as well"));
  add(number(cdma<&C::units>("units", "Units in all"), {1, 4096}, ""));
  add(size(cdma<&C::bytes_per_cycle>("bytes_per_cycle", "Of a unit"), {1, 4096}));
  add(number(cdma<&C::clock>("clock", "Of the units"), {1'000'000, 10'000'000'000}, "Hz", Measure::hertz));
  add(number(cdma<&C::compress_stages>("compress_stages", "Stages of a unit"), {1, 1000}, "cycles"));
  add(number(cdma<&C::decompress_cycles>("decompress_cycles", "Until the first bytes of a line come out"),
             {0, 1000}, "cycles"));
  add(number(cdma<&C::parse_lines>("parse_lines", "Lines whose end is found per cycle"), {1, 1024}, "lines"));
  add(size(cdma<&C::line>("line", "What one request moves"), {32, 4096}));
  add(size(cdma<&C::buffer>("buffer", "Of the copy engine"), {32, std::uint64_t{1} << 32}));
  add(number(cdma<&C::latency_ns>("latency", "From a request to its line in the buffer"), {1, 1'000'000},
             "nanoseconds", Measure::nanoseconds));
  add(number(cdma<&C::read_limit>("read_limit", "DRAM bandwidth left over for the engine"), kRate,
             "bytes per second", Measure::rate));
  add(number(cdma<&C::provision>("provision", "What the engine asks for at most"), kRate, "bytes per second",
             Measure::rate));
  add(number(cdma<&C::port>("port", "Crossbar port of the copy engine; 0 = no limit"), {0, kRate.max},
             "bytes per second", Measure::rate));
  add(size(cdma<&C::flit>("flit", "The crossbar moves whole ones"), {1, 4096}));
  add(size(cdma<&C::packet>("packet", "Payload of a link packet"), {16, 4096}));
  add(size(cdma<&C::packet_header>("packet_header", "Of a link packet; 0 = in the link's rate"), {0, 4096}));
}

}  // namespace wg::config::detail
