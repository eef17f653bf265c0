#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "base/error.hpp"
#include "interrupt.hpp"
#include "parse.hpp"

namespace {

int failed(wg::ExitCode code, const char* prefix, const char* text) {
  fmt::print(stderr, "{}{}\n", prefix, text);
  return static_cast<int>(code);
}

}  // namespace

int main(int argc, char** argv) {
  wg::app::end_on_signals();
  try {
    const int code = wg::app::parse(argc, argv)();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return failed(wg::ExitCode::bad_input, "warpgauge: ", "the output could not be written");
    }
    return code;
  } catch (const wg::Error& error) {
    return failed(error.code(), "warpgauge: ", error.what());
  } catch (const std::bad_alloc&) {
    return failed(wg::ExitCode::internal, "warpgauge: ", "there is not enough memory");
  } catch (const std::exception& error) {
    return failed(wg::ExitCode::internal, "warpgauge: this is our fault, please report it: ", error.what());
  }
}
