#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"

namespace wg::cli {
namespace {

constexpr const char* kPython = "/usr/bin/python3";
constexpr const char* kSchema = WG_SOURCE_DIR "/schema/result.schema.json";

bool python_has_jsonschema() {
  return std::system("/usr/bin/python3 -c 'import jsonschema' >/dev/null 2>&1") == 0;
}

/// Exit status of the validator on `instance`.
int validate(const std::string& instance) {
  std::ostringstream command;
  command << kPython << " -W ignore -c '"
          << "import json,sys,jsonschema;s=json.load(open(sys.argv[1]));"
          << "jsonschema.Draft202012Validator.check_schema(s);"
          << "jsonschema.Draft202012Validator(s).validate(json.load(open(sys.argv[2])))' " << kSchema << ' '
          << instance;
  return std::system(command.str().c_str());
}

TEST(Schema, HoldsForRealResults) {
  if (!python_has_jsonschema()) {
    GTEST_SKIP() << "needs " << kPython << " with jsonschema";
  }
  const Folder folder;
  const std::vector<std::vector<std::string>> runs{
      {"kernel:gemm?m=64&n=64&k=64", "--timeline", folder / "t.csv"},
      {"kernel:reduce?n=20000&launches=2", "--max-cycles", "9000"},
      {tiny_trace(folder)},
      {"kernel:vecadd?n=300000", "--set", "uvm.enable=true", "--set", "uvm.memory=2MiB"}};
  for (const std::vector<std::string>& extra : runs) {
    std::vector<std::string> words{"run"};
    words.insert(words.end(), extra.begin(), extra.end());
    for (const std::string& word : {std::string("--gpu"), std::string("v100"), std::string("--quiet"),
                                    std::string("--json"), folder / "r.json"}) {
      words.push_back(word);
    }
    run(words);
    EXPECT_EQ(validate(folder / "r.json"), 0) << extra[0];
  }
}

/// A schema that lets everything pass would hold too.
TEST(Schema, RefusesWrongResults) {
  if (!python_has_jsonschema()) {
    GTEST_SKIP() << "needs " << kPython << " with jsonschema";
  }
  const Folder folder;
  run({"run", "kernel:empty", "--gpu", "v100", "--quiet", "--json", folder / "r.json"});
  const auto whole = nlohmann::ordered_json::parse(read(folder / "r.json"));
  auto missing = whole;
  missing["kernels"][0].erase("cycles");
  auto text = whole;
  text["totals"]["dram_read_bytes"] = "many";
  auto negative = whole;
  negative["run"]["threads"] = -1;
  for (const auto& wrong : {missing, text, negative}) {
    folder.file("w.json", wrong.dump());
    EXPECT_NE(validate((folder / "w.json") + " 2>/dev/null"), 0);
  }
}

}  // namespace
}  // namespace wg::cli
