#include "gpu/result.hpp"
#include "options.hpp"
#include "places.hpp"
#include "report/files.hpp"
#include "report/html.hpp"
#include "report/json.hpp"

namespace wg::app {

int report_again(const ReportArguments& arguments) {
  refuse_files_in_use({arguments.json}, {arguments.html});
  const gpu::RunResult result =
      report::from_json(report::read_file(arguments.json), arguments.json, gpu::dictionary()).result;
  if (!arguments.html.empty()) {
    report::write_file(arguments.html, report::html(result));
  } else {
    print(report::text(result, output_style(arguments.verbose)));
  }
  return 0;
}

}  // namespace wg::app
