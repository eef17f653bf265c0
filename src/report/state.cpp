#include "report/state.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "report/files.hpp"

namespace wg::report {
namespace {

static_assert(std::endian::native == std::endian::little, "the state file is little-endian");

constexpr std::string_view kMagic = "WGSTATE1";
constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;  ///< far above the tags of any L2

void put(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

class Parser {
 public:
  Parser(std::string_view in, const std::string& where) : in_(in), where_(where) {}
  std::string_view take(std::uint64_t count) {
    if (count > in_.size()) {
      fail("a whole state", "one that is cut off");
    }
    const std::string_view out = in_.substr(0, count);
    in_.remove_prefix(count);
    return out;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  [[noreturn]] void fail(std::string expected, std::string found) const {
    throw Error({.where = where_,
                 .expected = std::move(expected),
                 .found = std::move(found),
                 .advice = "run again without --resume"});
  }
  [[nodiscard]] bool done() const { return in_.empty(); }

 private:
  std::string_view in_;
  const std::string& where_;
};

void differ(std::vector<Problem>& problems, const std::string& where, const std::string& what,
            const std::string& saved, const std::string& asked, const char* advice) {
  if (saved != asked) {
    problems.push_back(
        {.where = where, .expected = fmt::format("{} {}", what, asked), .found = saved, .advice = advice});
  }
}

void check(const Saved& saved, const Asked& asked, const std::string& where) {
  std::vector<Problem> problems;
  const Settings& was = saved.settings;
  const Settings& now = asked.settings;
  const auto word = [](bool on) { return std::string(on ? "on" : "off"); };
  differ(problems, where, "machine", saved.result.machine_hash, asked.machine_hash,
         "the saved run used another --gpu or other --set values");
  differ(problems, where, "workload", saved.result.workload_hash, asked.workload_hash,
         "the saved run had another workload");
  differ(problems, where, "--kernels", selection_text(was.kernels), selection_text(now.kernels),
         "give the selection of the saved run");
  differ(problems, where, "--cold", word(was.cold), word(now.cold), "give --cold as the saved run did");
  differ(problems, where, "--interval", std::to_string(was.timeline_cycles),
         std::to_string(now.timeline_cycles), "give the timeline options of the saved run");
  differ(problems, where, "--top", std::to_string(was.profile_size), std::to_string(now.profile_size),
         "give --top as the saved run did");
  if (!problems.empty()) {
    throw Error(std::move(problems));
  }
}

}  // namespace

std::string state_path(const std::string& json_path) { return json_path + ".state"; }

std::string pack_state(const State& state) {
  std::string plain(kMagic);
  put(plain, state.kernels);
  put(plain, state.copies);
  put(plain, state.machine_hash);
  put(plain, state.workload_hash);
  put(plain, std::string_view(reinterpret_cast<const char*>(state.bytes.data()), state.bytes.size()));
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), out.data(), out.size(), plain.data(), plain.size());
  if (ZSTD_isError(size) != 0) {
    throw std::runtime_error(fmt::format("zstd cannot compress a state: {}", ZSTD_getErrorName(size)));
  }
  out.resize(size);
  return out;
}

State unpack_state(std::string_view packed, const std::string& where) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  std::string plain;
  if (size != ZSTD_CONTENTSIZE_ERROR && size != ZSTD_CONTENTSIZE_UNKNOWN && size < kMostBytes) {
    plain.resize(size);
    const std::size_t got = ZSTD_decompress(plain.data(), plain.size(), packed.data(), packed.size());
    plain.resize(ZSTD_isError(got) != 0 ? 0 : got);
  }
  Parser parser(plain, where);
  if (!plain.starts_with(kMagic)) {
    parser.fail("a state file of this program",
                plain.empty() ? "damaged or foreign data" : "another kind of file");
  }
  parser.take(kMagic.size());
  State state;
  state.kernels = parser.number();
  state.copies = parser.number();
  state.machine_hash = parser.text();
  state.workload_hash = parser.text();
  const std::string_view bytes = parser.text();
  state.bytes.assign(bytes.begin(), bytes.end());
  if (!parser.done()) {
    parser.fail("the end of the state", "more data");
  }
  return state;
}

gpu::Resume make_resume(Saved saved, State state, const Asked& asked, const std::string& where) {
  check(saved, asked, where);
  const Parser parser({}, where);
  if (state.machine_hash != saved.result.machine_hash || state.workload_hash != saved.result.workload_hash) {
    parser.fail("the state of this result", "the state of another run");
  }
  auto& kernels = saved.result.kernels;
  std::erase_if(kernels, [](const gpu::KernelResult& kernel) { return !kernel.complete; });
  if (state.kernels > kernels.size() || state.copies > saved.result.copies.size()) {
    parser.fail(fmt::format("results of the {} kernels before the state", state.kernels),
                fmt::format("{}", kernels.size()));
  }
  kernels.resize(state.kernels);
  saved.result.copies.resize(state.copies);
  saved.result.warnings.clear();
  for (const gpu::KernelResult& kernel : kernels) {
    saved.result.warnings.insert(saved.result.warnings.end(), kernel.warnings.begin(), kernel.warnings.end());
  }
  return {std::move(saved.result), std::move(state.bytes)};
}

gpu::Resume load_resume(const std::string& json_path, const Asked& asked,
                        std::span<const CounterInfo* const> dictionary) {
  const std::string state_file = state_path(json_path);
  Saved saved = from_json(read_file(json_path), json_path, dictionary);
  check(saved, asked, json_path);
  if (saved.result.complete) {
    throw Error({.where = json_path,
                 .expected = "the result of a run that was interrupted",
                 .found = "a complete one",
                 .advice = "there is nothing to go on with"});
  }
  if (saved.result.kernels.empty() || !saved.result.kernels.front().complete) {
    return {};
  }
  if (std::error_code none; !std::filesystem::exists(state_file, none)) {
    throw Error({.where = state_file,
                 .expected = "the state of the interrupted run, written beside its JSON file",
                 .found = "no such file",
                 .advice = "a result that is moved takes its .state file with it"});
  }
  return make_resume(std::move(saved), unpack_state(read_file(state_file), state_file), asked, json_path);
}

}  // namespace wg::report
