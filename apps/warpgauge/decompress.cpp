#include <fmt/format.h>

#include <span>

#include "codec/tensor_file.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/files.hpp"

namespace wg::app {

int decompress(const std::string& path, const std::string& out) {
  refuse_files_in_use({path}, {out});
  const std::string file = report::read_file(path);
  const std::vector<std::byte> npy = codec::decompress_npy(std::as_bytes(std::span(file)), path);
  report::write_file(out, {reinterpret_cast<const char*>(npy.data()), npy.size()});
  print(fmt::format("{}: {} bytes, {}: {} bytes\n", path, file.size(), out, npy.size()));
  return 0;
}

}  // namespace wg::app
