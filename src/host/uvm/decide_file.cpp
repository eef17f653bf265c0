#include "host/uvm/decide_file.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "host/uvm/decision_text.hpp"
#include "host/uvm/leaf_tree.hpp"

namespace wg::host::uvm {
namespace {

using Json = nlohmann::json;

/// What is wrong with a line; its place is added by the caller.
struct Malformed {
  std::string expected;
  std::string found;
};

const Json& member(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end()) {
    throw Malformed{fmt::format("a member \"{}\"", key), "none"};
  }
  return *at;
}

std::uint32_t number(const Json& value, const char* what, std::uint64_t least, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
      value.get<std::uint64_t>() > most) {
    throw Malformed{fmt::format("{} from {} to {}", what, least, most), value.dump().substr(0, 60)};
  }
  return value.get<std::uint32_t>();
}

std::uint32_t number_of(const Json& object, const char* key, std::uint64_t least, std::uint64_t most) {
  return number(member(object, key), key, least, most);
}

/// Pages as runs [first, count] or as plain numbers, below `limit`; null is empty.
PageMask pages(const Json& list, const char* what, std::uint32_t limit) {
  PageMask out;
  if (list.is_null()) {
    return out;
  }
  if (!list.is_array()) {
    throw Malformed{fmt::format("{} as a list of runs or pages", what), list.dump().substr(0, 60)};
  }
  for (const Json& item : list) {
    if (item.is_array() && item.size() == 2) {
      const std::uint32_t first = number(item[0], what, 0, limit - 1);
      out |= PageMask::range(first, first + number(item[1], what, 0, limit - first));
    } else {
      out.set(number(item, what, 0, limit - 1));
    }
  }
  return out;
}

PageMask pages(const Json& object, const char* key, const BlockView& block) {
  return pages(member(object, key), key, block.pages);
}

BlockView block_of(const Json& record) {
  BlockView block;
  block.start = number_of(record, "start_page", 0, kBlockPages - 1);
  block.pages = number_of(record, "npages", 1, kBlockPages - block.start);
  const std::string preferred = record.value("preferred", "none");
  if (preferred != "none" && preferred != "dest" && preferred != "other") {
    throw Malformed{"preferred none, dest or other", preferred};
  }
  block.preferred = preferred == "dest"    ? Preferred::destination
                    : preferred == "other" ? Preferred::other
                                           : Preferred::none;
  return block;
}

/// Goes through one file.
class Judge {
 public:
  Judge(const DecideOptions& options, const LineSink& print) : options_(options), print_(print) {}

  void record(const Json& record) {
    if (!record.is_object()) {
      throw Malformed{"an object", record.type_name()};
    }
    ++sum_.records;
    id_ = record.contains("id") && record["id"].is_string() ? record["id"].get<std::string>() : "-";
    if (record.contains("leaves")) {
      leaf_history(record);
    } else if (record.contains("steps")) {
      history(record);
    } else {
      decision(record);
    }
  }
  DecideSummary take() { return std::move(sum_); }

 private:
  DriverRule rule_of(const Json& record) const {
    return {number_of(record, "threshold", 0, 100), options_.clamp_fix};
  }

  void decision(const Json& record) {
    BlockView block = block_of(record);
    block.faulted = pages(record, "faulted", block);
    block.resident = pages(record, "resident", block);
    block.thrashing = pages(record.value("thrashing", Json()), "thrashing", block.pages);
    block.resident_anywhere = record.value("any_resident", true);
    judge(rule_of(record), block, record, "prefetch", "");
  }

  void history(const Json& record) {
    BlockView block = block_of(record);
    const DriverRule rule = rule_of(record);
    block.resident = pages(record.value("initial_resident", Json()), "initial_resident", block.pages);
    std::vector<std::uint8_t> leaves = leaves_of(block);
    std::size_t step_number = 0;
    for (const Json& step : member(record, "steps")) {
      const std::string where = fmt::format(" step {}", ++step_number);
      const std::string op = member(step, "op").get<std::string>();
      if (op == "evict_block") {
        block.resident = PageMask();
        leaves.assign(leaves.size(), 0);
      } else if (op == "thrashing_pages") {
        block.thrashing = pages(step, "pages", block);
      } else if (op == "fault") {
        block.faulted = pages(step, "pages", block) - block.resident;
        block.resident_anywhere = block.resident.any();
        block.resident |=
            judge(rule, block, step, step.contains("prefetch") ? "prefetch" : "prefetch_mask", where);
        leaf_step(step, block, leaves, where);
      } else {
        throw Malformed{"op fault, evict_block or thrashing_pages", op};
      }
    }
  }

  /// Decides, prints or compares; returns what is resident afterwards.
  PageMask judge(const DriverRule& rule, const BlockView& block, const Json& answers,
                 const char* prefetch_key, const std::string& where) {
    const PageMask mask = decide(rule, block);
    const PageMask migrated = (block.faulted | mask) - block.resident;
    ++sum_.decisions;
    if (!options_.check) {
      print_(fmt::format("{}{}: faulted {}; prefetch {}; migrated {} ({} pages)", id_, where,
                         runs_text(block.faulted), runs_text(mask), runs_text(migrated), migrated.count()));
      return block.resident | migrated;
    }
    compare(rule, block, pages(answers, prefetch_key, block), mask, where + " prefetch");
    compare(rule, block, pages(answers, "migrated", block), migrated, where + " migrated");
    if (answers.contains("tree")) {
      const TreeShape shape = shape_of(block.start, block.pages);
      const Json& tree = answers["tree"];
      if (member(tree, "offset") != shape.offset || member(tree, "leaves") != shape.leaves ||
          member(tree, "levels") != shape.levels) {
        differ(fmt::format("{}{} tree: expected {}\n{}", id_, where, tree.dump(), tree_text(rule, block)));
      }
    }
    return block.resident | migrated;
  }

  void compare(const DriverRule& rule, const BlockView& block, const PageMask& expected,
               const PageMask& found, const std::string& what) {
    if (expected != found) {
      differ(fmt::format("{}{}: expected {}, found {}\n{}{}", id_, what, runs_text(expected),
                         runs_text(found), page_map(block, expected, found), tree_text(rule, block)));
    }
  }

  void differ(std::string text) {
    if (sum_.differences++ == 0) {
      sum_.first_difference = std::move(text);
    }
  }

  static std::vector<std::uint8_t> leaves_of(const BlockView& block) {
    std::vector<std::uint8_t> leaves((block.pages + kBigPages - 1) / kBigPages);
    for (std::uint32_t i = 0; i < leaves.size(); ++i) {
      const std::uint32_t end = std::min((i + 1) * kBigPages, block.pages);
      leaves[i] = block.resident.count(i * kBigPages, end) == end - i * kBigPages ? 1 : 0;
    }
    return leaves;
  }

  /// The published rule's answer to the same step, where the file has one.
  void leaf_step(const Json& step, const BlockView& block, std::vector<std::uint8_t>& leaves,
                 const std::string& where) {
    if (!step.contains("leaf_mode_migrated") || step["leaf_mode_migrated"].is_null()) {
      return;
    }
    ++sum_.leaf_steps;
    const std::vector<std::uint8_t> before = leaves;
    pages(step, "pages", block).each([&](std::uint32_t page) { leaves[page / kBigPages] = 1; });
    fill_tree(leaves);
    PageMask found;
    for (std::uint32_t i = 0; i < leaves.size(); ++i) {
      if (leaves[i] != before[i]) {
        found |= PageMask::range(i * kBigPages, std::min((i + 1) * kBigPages, block.pages));
      }
    }
    const PageMask expected = pages(step, "leaf_mode_migrated", block);
    if (!options_.check) {
      print_(fmt::format("{}{}, published rule: migrated {} ({} pages)", id_, where, runs_text(found),
                         found.count()));
    } else if (expected != found) {
      differ(fmt::format("{}{}, published rule: expected {}, found {}\n{}", id_, where, runs_text(expected),
                         runs_text(found), page_map(block, expected, found)));
    }
  }

  void leaf_history(const Json& record) {
    std::vector<std::uint8_t> leaves(number_of(record, "leaves", 1, 1024));
    const auto most = leaves.size() - 1;
    bool started = false;
    std::size_t step_number = 0;
    for (const Json& step : member(record, "steps")) {
      const std::string op = member(step, "op").get<std::string>();
      const bool evict = op == "evict";
      if (!evict && op != "fault") {
        throw Malformed{"op fault or evict", op};
      }
      if (evict && !std::exchange(started, true)) {
        leaves.assign(leaves.size(), 1);
      }
      started = true;
      const std::vector<std::uint8_t> before = leaves;
      leaves[number_of(step, evict ? "lru_leaf" : "leaf", 0, most)] = evict ? 0 : 1;
      evict ? empty_tree(leaves) : fill_tree(leaves);
      std::vector<std::uint32_t> changed;
      for (std::uint32_t i = 0; i < leaves.size(); ++i) {
        if (leaves[i] != before[i]) {
          changed.push_back(i);
        }
      }
      ++sum_.leaf_steps;
      const Json found = changed;
      const std::string where = fmt::format("{} step {} {}", id_, ++step_number, op);
      if (!options_.check) {
        print_(fmt::format("{}: leaves {}", where, found.dump()));
      } else if (const Json& expected = member(step, evict ? "evicted_leaves" : "migrated_leaves");
                 expected != found) {
        differ(fmt::format("{}: expected leaves {}, found {}", where, expected.dump(), found.dump()));
      }
    }
  }

  DecideOptions options_;
  const LineSink& print_;
  DecideSummary sum_;
  std::string id_;
};

}  // namespace

DecideSummary decide_file(const std::string& path, const DecideOptions& options, const LineSink& print) {
  std::ifstream file(path);
  if (!file) {
    throw Error({.where = path, .expected = "a file of JSON lines", .found = "nothing that can be read"});
  }
  Judge judge(options, print);
  bool any = false;
  std::string line;
  for (std::uint64_t number = 1; std::getline(file, line); ++number) {
    const std::string where = fmt::format("{}:{}", path, number);
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    any = true;
    try {
      judge.record(Json::parse(line));
    } catch (const Json::parse_error& error) {
      throw Error({.where = where,
                   .expected = "a decision or history as JSON",
                   .found = fmt::format("text that is not JSON at byte {}", error.byte)});
    } catch (const Json::exception&) {
      throw Error({.where = where,
                   .expected = "a decision or history",
                   .found = "a member of another kind",
                   .advice = "docs/uvm.md says what lines hold"});
    } catch (const Malformed& bad) {
      throw Error({.where = where, .expected = bad.expected, .found = bad.found});
    }
  }
  if (!any) {
    throw Error({.where = path, .expected = "decisions or histories as JSON lines", .found = "none"});
  }
  return judge.take();
}

}  // namespace wg::host::uvm
