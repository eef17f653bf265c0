// Speed of the codecs on one core beside memcpy, lz4 and zstd, in one run.
//   codec_speed MAP.npy [MiB of the large buffers, default 512]
// Every line is GB/s of uncompressed data: the best round by the thread's processor time. The rounds of
// memcpy and of the codecs alternate, so that a busy computer slows all of them; `median` is of the ratios
// per round.
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "codec/cdma.h"
#include "codec/deflate.hpp"
#include "codec/tensor_file.hpp"
#include "codec/zvc.hpp"
#ifdef WG_HAS_LZ4
#include <lz4.h>
#endif

namespace {

using namespace wg::codec;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kSmall = std::size_t{256} << 10;  // with its output it stays in 2 MiB of L2

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Work {
  std::string name;
  std::function<void()> once;
  double bar = 0;  ///< of memcpy's speed; 0 = none
  std::vector<double> seconds{};
};

/// The first work is memcpy, which the others are held against.
void measure(std::vector<Work>& all, int rounds, int repeats) {
  for (int round = -1; round < rounds; ++round) {  // the first one warms up
    for (Work& work : all) {
      const double begin = thread_seconds();
      for (int i = 0; i < repeats; ++i) {
        work.once();
      }
      const double seconds = (thread_seconds() - begin) / repeats;
      if (round >= 0) {
        work.seconds.push_back(seconds);
      }
    }
  }
}

double best(const Work& work) { return *std::min_element(work.seconds.begin(), work.seconds.end()); }

double median_ratio(const Work& base, const Work& work) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < work.seconds.size(); ++i) {
    ratios.push_back(base.seconds[i] / work.seconds[i]);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

bool print(const std::string& title, const std::vector<Work>& all, std::size_t bytes) {
  fmt::print("\n{}\n{:32} {:>8} {:>9} {:>8} {:>6}\n", title, "", "GB/s", "x memcpy", "median", "bar");
  bool good = true;
  for (const Work& work : all) {
    const double ratio = best(all.front()) / best(work);
    const bool holds = ratio >= work.bar;
    good = good && holds;
    fmt::print("{:32} {:8.3f} {:9.4f} {:8.4f} {:>6} {}\n", work.name,
               static_cast<double>(bytes) / best(work) * 1e-9, ratio, median_ratio(all.front(), work),
               work.bar == 0 ? "" : fmt::format("{:.2f}", work.bar),
               work.bar == 0 ? ""
               : holds       ? "ok"
                             : "BELOW");
  }
  return good;
}

void require(bool holds, const char* what) {
  if (!holds) {
    fmt::print(stderr, "codec_speed: {} gave a wrong result\n", what);
    std::exit(5);
  }
}

/// `bytes` bytes of the map, over and over.
Bytes tiled(std::span<const std::byte> map, std::size_t bytes) {
  Bytes out(bytes);
  for (std::size_t at = 0; at < bytes; at += map.size()) {
    std::memcpy(out.data() + at, map.data(), std::min(map.size(), bytes - at));
  }
  return out;
}

bool zvc_against_memcpy(std::span<const std::byte> map, std::size_t bytes,
                        const std::vector<std::size_t>& elements, double encode_bar, double decode_bar,
                        int rounds, int repeats) {
  const Bytes raw = tiled(map, bytes);
  Bytes copy(bytes);
  Bytes out(zvc_bound(bytes, 1) + 64);
  bool good = true;
  for (const std::size_t element : elements) {
    for (const Simd simd : available_simd()) {
      std::size_t size = 0;
      // The bar of small elements is for AVX-512, which does not wait for each mask.
      const bool barred = simd == best_simd() && (element >= 4 || simd == Simd::avx512);
      std::vector<Work> all;
      all.push_back({"memcpy", [&] { std::memcpy(copy.data(), raw.data(), bytes); }});
      all.push_back({fmt::format("zvc encode {}", name_of(simd)),
                     [&] { size = zvc_encode(raw, element, out, simd).bytes; }, barred ? encode_bar : 0});
      all.push_back({fmt::format("zvc decode {}", name_of(simd)),
                     [&] { zvc_decode(std::span(out).first(size), element, copy, simd); },
                     barred ? decode_bar : 0});
      measure(all, rounds, repeats);
      require(copy == raw, "zvc");
      good &= print(
          fmt::format("{} KiB, elements of {} bytes, density {:.3f}, ratio {:.3f}", bytes >> 10, element,
                      static_cast<double>(count_nonzero(raw, element) * element) / static_cast<double>(bytes),
                      static_cast<double>(bytes) / static_cast<double>(size)),
          all, bytes);
    }
  }
  return good;
}

/// One codec over windows of 4 KiB: its two works. Streams keep a fixed distance.
class Windows {
 public:
  using Encode = std::function<std::size_t(std::span<const std::byte>, std::span<std::byte>)>;
  using Decode = std::function<bool(std::span<const std::byte>, std::span<std::byte>)>;

  Windows(std::string name, std::span<const std::byte> raw, Encode encode, Decode decode)
      : name_(std::move(name)),
        raw_(raw),
        encode_(std::move(encode)),
        decode_(std::move(decode)),
        out_(raw.size() / kDefaultWindow * kStride),
        sizes_(raw.size() / kDefaultWindow),
        back_(raw.size()) {}

  Work encode() {
    return {name_ + " encode", [this] {
              for (std::size_t i = 0; i < sizes_.size(); ++i) {
                sizes_[i] = encode_(raw_.subspan(i * kDefaultWindow, kDefaultWindow),
                                    std::span(out_).subspan(i * kStride, kStride));
              }
            }};
  }
  Work decode() {
    return {name_ + " decode", [this] {
              for (std::size_t i = 0; i < sizes_.size(); ++i) {
                const bool fine = decode_(std::span(out_).subspan(i * kStride, sizes_[i]),
                                          std::span(back_).subspan(i * kDefaultWindow, kDefaultWindow));
                require(fine, name_.c_str());
              }
            }};
  }
  void check() const { require(std::equal(back_.begin(), back_.end(), raw_.begin()), name_.c_str()); }

 private:
  static constexpr std::size_t kStride = 2 * kDefaultWindow + 1024;

  std::string name_;
  std::span<const std::byte> raw_;
  Encode encode_;
  Decode decode_;
  Bytes out_;
  std::vector<std::size_t> sizes_;
  Bytes back_;
};

Windows ours(const CodecInfo& info, WindowCodec& codec, std::span<const std::byte> raw) {
  return {std::string(info.name), raw, [&codec](auto from, auto to) { return codec.encode(from, to).bytes; },
          [&codec](auto from, auto to) { return codec.decode(from, from.size(), to).ok(); }};
}

#ifdef WG_HAS_LZ4
Windows lz4(std::span<const std::byte> raw) {
  const auto chars = [](const std::byte* at) { return reinterpret_cast<const char*>(at); };
  return {"lz4", raw,
          [=](auto from, auto to) {
            return static_cast<std::size_t>(
                LZ4_compress_default(chars(from.data()), reinterpret_cast<char*>(to.data()),
                                     static_cast<int>(from.size()), static_cast<int>(to.size())));
          },
          [=](auto from, auto to) {
            return LZ4_decompress_safe(chars(from.data()), reinterpret_cast<char*>(to.data()),
                                       static_cast<int>(from.size()),
                                       static_cast<int>(to.size())) == static_cast<int>(to.size());
          }};
}
#endif

Windows zstd1(std::span<const std::byte> raw, ZSTD_CCtx* encoder, ZSTD_DCtx* decoder) {
  return {"zstd level 1", raw,
          [=](auto from, auto to) {
            return ZSTD_compressCCtx(encoder, to.data(), to.size(), from.data(), from.size(), 1);
          },
          [=](auto from, auto to) {
            return ZSTD_decompressDCtx(decoder, to.data(), to.size(), from.data(), from.size()) == to.size();
          }};
}

void all_codecs(std::span<const std::byte> map) {
  const Bytes raw = tiled(map, kSmall);
  Bytes copy(raw.size());
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> encoder(ZSTD_createCCtx(), ZSTD_freeCCtx);
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> decoder(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::vector<std::unique_ptr<WindowCodec>> codecs_used;
  std::vector<std::unique_ptr<Windows>> sets;
  for (const CodecInfo& codec : codecs()) {
    codecs_used.push_back(make_codec(codec.id, 4));
    sets.push_back(std::make_unique<Windows>(ours(codec, *codecs_used.back(), raw)));
  }
#ifdef WG_HAS_LZ4
  sets.push_back(std::make_unique<Windows>(lz4(raw)));
#endif
  sets.push_back(std::make_unique<Windows>(zstd1(raw, encoder.get(), decoder.get())));
  std::vector<Work> all;
  all.push_back({"memcpy", [&] { std::memcpy(copy.data(), raw.data(), raw.size()); }});
  for (const auto& set : sets) {
    all.push_back(set->encode());
    all.push_back(set->decode());
  }
  measure(all, 15, 4);
  for (const auto& set : sets) {
    set->check();
  }
  print("every codec, 256 KiB in windows of 4 KiB, elements of 4 bytes", all, raw.size());
}

Bytes read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: codec_speed MAP.npy [MiB]\n");
    return 1;
  }
  try {
    const Bytes file = read_file(argv[1]);
    const wg::NpyArray map = wg::read_npy(file, argv[1]);
    const std::size_t large = (argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 512) << 20;
    fmt::print("{}; widest instructions here: {}\n", argv[1], name_of(best_simd()));
    bool good = zvc_against_memcpy(map.data, kSmall, {4, 2, 1, 8}, 0.38, 0.38, 60, 100);
    good &= zvc_against_memcpy(map.data, large, {4}, 0.70, 0.80, 7, 1);
    all_codecs(map.data);
    return good ? 0 : 2;
  } catch (const wg::Error& error) {
    fmt::print(stderr, "codec_speed: {}\n", error.what());
    return 2;
  }
}
