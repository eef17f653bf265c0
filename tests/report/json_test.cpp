#include "report/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "sample.hpp"

namespace wg::report {
namespace {

using Json = nlohmann::ordered_json;

class JsonRoundTrip : public testing::TestWithParam<std::uint64_t> {};

TEST_P(JsonRoundTrip, WritesTheSameBytesAfterReading) {
  const gpu::RunResult result = sample::random_result(GetParam(), GetParam() % 5);
  const std::string text = to_json(result, sample::settings());
  const Saved saved = from_json(text, "r.json", sample::dictionary());
  EXPECT_EQ(to_json(saved.result, saved.settings), text);
}

TEST_P(JsonRoundTrip, KeepsEveryCounterExactlyAndInOrder) {
  const gpu::RunResult result = sample::random_result(GetParam(), 3);
  const gpu::RunResult back = from_json(to_json(result, {}), "r.json", sample::dictionary()).result;
  ASSERT_EQ(back.kernels.size(), result.kernels.size());
  for (std::size_t k = 0; k < result.kernels.size(); ++k) {
    const auto& was = result.kernels[k].counters;
    const auto& now = back.kernels[k].counters;
    ASSERT_EQ(now.size(), was.size());
    for (std::size_t i = 0; i < was.size(); ++i) {
      EXPECT_EQ(now[i].info, was[i].info);
      EXPECT_EQ(now[i].value, was[i].value) << was[i].info->name;
    }
  }
  ASSERT_EQ(back.totals.size(), result.totals.size());
  EXPECT_EQ(back.totals.back().value, result.totals.back().value);
}

INSTANTIATE_TEST_SUITE_P(Random, JsonRoundTrip, testing::Range<std::uint64_t>(1, 30));

TEST(Json, HasTheKeysOfTheContract) {
  const Json json = Json::parse(to_json(sample::tidy_result(), sample::settings()));
  for (const char* key : {"version", "command", "gpu", "threads", "wall_seconds", "cpu_seconds",
                          "peak_rss_bytes", "machine_hash", "workload_hash"}) {
    EXPECT_TRUE(json.at("run").contains(key)) << key;
  }
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.at("kernels").at(0).items()) {
    keys.push_back(key);
  }
  EXPECT_THAT(keys, testing::IsSupersetOf({"id", "name", "cycles", "warp_instructions", "thread_instructions",
                                           "complete", "dram_read_bytes"}));
  EXPECT_EQ(json.at("kernels").at(0).at("dram_read_bytes"), 86400);
  EXPECT_EQ(json.at("totals").at("cycles"), 205116 + 1000000 + 2500);
  EXPECT_EQ(json.at("complete"), true);
}

TEST(Json, SaysWhenARunIsNotComplete) {
  gpu::RunResult result = sample::tidy_result();
  result.complete = false;
  result.stopped_by = "interrupt";
  const Json json = Json::parse(to_json(result, {}));
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json.at("run").at("stopped_by"), "interrupt");
}

TEST(Json, NamesNoKeyTwiceInAKernel) {
  const std::string text = to_json(sample::tidy_result(), {});
  std::vector<std::set<std::string>> open;
  const auto seen = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) {
      open.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open.pop_back();
    } else if (event == Json::parse_event_t::key) {
      EXPECT_TRUE(open.back().insert(value.get<std::string>()).second) << value;
    }
    return true;
  };
  EXPECT_FALSE(Json::parse(text, seen).empty());
}

TEST(Json, WritesOneLinePerKernel) {
  const std::string text = to_json(sample::random_result(4, 3), {});
  std::size_t lines = 0;
  for (std::size_t at = text.find("\n    {\"index\":"); at != std::string::npos;
       at = text.find("\n    {\"index\":", at + 1)) {
    ++lines;
  }
  EXPECT_EQ(lines, 3U);
}

/// Any prefix of a result is an error that names the file and the offset.
TEST(Json, RefusesATextThatIsCutOff) {
  const std::string text = to_json(sample::random_result(5, 2), {});
  for (std::size_t size = 0; size + 2 < text.size(); size += 97) {
    try {
      from_json(std::string_view(text).substr(0, size), "r.json", sample::dictionary());
      FAIL() << size;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_input);
      EXPECT_THAT(error.what(), testing::StartsWith("r.json@"));
    }
  }
}

TEST(Json, NamesWhatIsNoResultOfARun) {
  EXPECT_EQ(kind_of_json(to_json(sample::tidy_result(), {})), "a result of `warpgauge run`");
  EXPECT_EQ(kind_of_json(R"({"points":[]})"), "a result of `warpgauge sweep`");
  EXPECT_EQ(kind_of_json("[1]"), "JSON of another kind");
  EXPECT_EQ(kind_of_json("[1"), "text that is not JSON at byte 3");
  try {
    from_json(R"({"totals":{},"objects":[]})", "r.json", sample::dictionary());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("found a result of `warpgauge uvm replay`"));
  }
}

TEST(Json, RefusesAnotherSchemaVersion) {
  std::string text = to_json(sample::tidy_result(), {});
  text.replace(text.find("\"schema_version\": 1"), 19, "\"schema_version\": 9");
  EXPECT_THROW(from_json(text, "r.json", sample::dictionary()), Error);
}

TEST(Json, RefusesACounterThatTheDictionaryLacks) {
  std::string text = to_json(sample::tidy_result(), {});
  text.replace(text.find("dram_read_bytes"), 15, "dram_read_bites");
  try {
    from_json(text, "r.json", sample::dictionary());
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("dram_read_bites"));
  }
}

/// A changed value of the wrong type anywhere is reported, never taken or a crash.
TEST(Json, RefusesValuesOfAnotherType) {
  const Json whole = Json::parse(to_json(sample::tidy_result(), {}));
  for (const auto& [key, value] : whole.at("kernels").at(0).items()) {
    Json broken = whole;
    broken["kernels"][0][key] = value.is_string() ? Json(7) : Json("x");
    EXPECT_THROW(from_json(broken.dump(), "r.json", sample::dictionary()), Error) << key;
  }
}

TEST(DictionaryJson, HasAnObjectPerCounter) {
  const Json json = Json::parse(dictionary_json(sample::dictionary()));
  ASSERT_EQ(json.size(), sample::dictionary().size());
  EXPECT_EQ(json[0], (Json{{"name", "warp_instructions"},
                           {"unit", "warp instructions"},
                           {"meaning", "warp instructions issued"},
                           {"ncu", "smsp__inst_executed.sum"}}));
}

}  // namespace
}  // namespace wg::report
