#include "gpu/result.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/dictionary.hpp"
#include "report/json.hpp"

namespace wg::app {

int stats(bool json) {
  print(json ? report::dictionary_json(gpu::dictionary()) : report::dictionary_text(gpu::dictionary()));
  return 0;
}

}  // namespace wg::app
