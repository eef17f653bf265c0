// The table of fields, and what walks it: printing and hashing.
#include <set>

#include "base/rng.hpp"
#include "config/support.hpp"

namespace wg::config::test {
namespace {

/// Another legal value of the field; the machine as a whole may break a rule with it.
Value changed(const Field& field, const Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return *number < field.max ? *number + 1 : *number - 1;
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return !*flag;
  }
  const std::string& text = std::get<std::string>(value);
  for (const std::string_view choice : field.choices) {
    if (choice != text) {
      return std::string(choice);
    }
  }
  return text + "x";
}

TEST(Table, HasUniqueDocumentedRows) {
  std::set<std::string> keys;
  for (const Field& field : fields()) {
    EXPECT_TRUE(keys.insert(field.key).second) << field.key;
    EXPECT_FALSE(field.doc.empty()) << field.key;
    EXPECT_EQ(fields()[find_field(field.key)].key, field.key);
    if (field.is_number()) {
      EXPECT_LT(field.min, field.max) << field.key;
    }
  }
  EXPECT_EQ(find_field("no.such"), fields().size());
}

TEST(Table, NamesGenerationsAsTheInstructionTablesDo) {
  Machine machine;
  const Field& field = fields()[find_field("generation")];
  for (const std::string_view name : field.choices) {
    isa::Generation generation{};
    ASSERT_TRUE(isa::generation_from_name(name, generation)) << name;
    field.set(machine, std::string(name));
    EXPECT_EQ(machine.generation, generation);
  }
  EXPECT_EQ(isa::name_of(isa::Generation::hopper), field.choices.back());
}

/// Converts to anything, to count the members of an aggregate.
struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class T, class... Args>
constexpr std::size_t members() {
  if constexpr (requires { T{Args{}..., Anything{}}; }) {
    return members<T, Args..., Anything>();
  } else {
    return sizeof...(Args);
  }
}

std::size_t rows_of(const std::string& section) {
  const auto in_section = [&](const Field& field) {
    const std::size_t dot = field.key.rfind('.');
    return field.key.substr(0, dot == std::string::npos ? 0 : dot) == section;
  };
  return static_cast<std::size_t>(std::count_if(fields().begin(), fields().end(), in_section));
}

// A member without a row could not be set and would be neither printed nor hashed.
TEST(Table, HasARowForEveryMember) {
  constexpr std::size_t kSections = 13;
  EXPECT_EQ(rows_of(""), members<Machine>() - kSections);
  EXPECT_EQ(rows_of("clock"), members<ClockConfig>());
  EXPECT_EQ(rows_of("sm"), members<SmConfig>() - 1);  // all but `classes`
  for (std::size_t i = 0; i < isa::kInstClasses; ++i) {
    const std::string name(isa::name_of(static_cast<isa::InstClass>(i)));
    EXPECT_EQ(rows_of("sm.class." + name), members<ClassTiming>()) << name;
  }
  EXPECT_EQ(rows_of("icache"), members<InstructionCacheConfig>());
  EXPECT_EQ(rows_of("shared"), members<SharedConfig>());
  EXPECT_EQ(rows_of("l1"), members<L1Config>());
  EXPECT_EQ(rows_of("constant"), members<ConstantConfig>());
  EXPECT_EQ(rows_of("xbar"), members<XbarConfig>());
  EXPECT_EQ(rows_of("l2"), members<L2Config>());
  EXPECT_EQ(rows_of("dram"), members<DramConfig>());
  EXPECT_EQ(rows_of("link"), members<LinkConfig>());
  EXPECT_EQ(rows_of("launch"), members<LaunchConfig>());
  EXPECT_EQ(rows_of("uvm"), members<UvmConfig>());
  EXPECT_EQ(rows_of("cdma"), members<CdmaConfig>());
}

TEST(Table, WritesWhatItReads) {
  Machine machine = load_machine("a100", {}, directories());
  for (const Field& field : fields()) {
    const Value value = changed(field, field.get(machine));
    ASSERT_NE(value, field.get(machine)) << field.key;
    field.set(machine, value);
    EXPECT_EQ(field.get(machine), value) << field.key;
  }
}

TEST(Hash, ChangesWithEveryValue) {
  const Machine original = load_machine("h100-pcie", {}, directories());
  std::set<std::uint64_t> seen{machine_hash(original)};
  EXPECT_EQ(machine_hash(original), machine_hash(load_machine("h100-pcie", {}, directories())));
  for (const Field& field : fields()) {
    Machine machine = original;
    field.set(machine, changed(field, field.get(machine)));
    EXPECT_TRUE(seen.insert(machine_hash(machine)).second) << field.key;
  }
}

/// Prints a machine and loads what was printed.
LoadedMachine reloaded(const Folder& folder, const LoadedMachine& loaded) {
  return load(folder.write("printed.toml", show(loaded)), {}, {});
}

TEST(Show, LoadsToTheSameMachine) {
  const Folder folder;
  for (const MachineEntry& entry : list_machines(directories())) {
    const LoadedMachine original = load(entry.name, {}, directories());
    const LoadedMachine copy = reloaded(folder, original);
    EXPECT_EQ(machine_hash(copy.machine), machine_hash(original.machine)) << entry.name;
    EXPECT_EQ(show(copy), show(original)) << entry.name;
  }
}

TEST(Show, LoadsToTheSameMachineAfterAnyLegalChange) {
  const Folder folder;
  const LoadedMachine original = load("a40", {}, directories());
  std::size_t tried = 0;
  for (const Field& field : fields()) {
    LoadedMachine other = original;
    field.set(other.machine, changed(field, field.get(other.machine)));
    try {
      check_machine(other.machine);
    } catch (const Error&) {
      continue;
    }
    ++tried;
    EXPECT_EQ(machine_hash(reloaded(folder, other).machine), machine_hash(other.machine)) << field.key;
  }
  EXPECT_GT(tried, fields().size() / 2);
}

TEST(Show, LoadsToTheSameMachineForRandomNumbers) {
  const Folder folder;
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    LoadedMachine loaded = load("v100", {}, directories());
    for (const Field& field : fields()) {
      if (field.measure == Measure::rate || field.measure == Measure::nanoseconds || field.key == "memory") {
        field.set(loaded.machine, field.min + rng.below(field.max - field.min + 1));
      }
    }
    EXPECT_EQ(machine_hash(reloaded(folder, loaded).machine), machine_hash(loaded.machine));
  }
}

TEST(Show, KeepsTheSourceOfEachValue) {
  const Folder folder;
  const std::string file = folder.write(
      "mine.toml", "inherits = \"v100\"\n[sm]\ncount = 3\n[l2]\nways = 8  # measured: lab notes #7\n");
  const std::vector<std::string> overrides{"l1.latency=30", "sm.class.fp32.latency=5"};
  const std::string text = show(load(file, overrides, directories()));
  EXPECT_THAT(text, testing::HasSubstr("\nname = \"mine\""));
  EXPECT_THAT(text, testing::ContainsRegex("\nways = 8 +# measured: lab notes #7\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\ncount = 3 +# no source given in .*mine.toml:3:9\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nlatency = 30 +# set on the command line\n"));
  EXPECT_THAT(text,
              testing::ContainsRegex("\nfp32 = . pipe = \"fma\", latency = 5, [^#]*# 4.1 cycles: [^\n]*; set "
                                     "on the command line\n"));
}

TEST(Show, QuotesAnyTitle) {
  const Folder folder;
  LoadedMachine loaded = load("v100", {}, directories());
  loaded.machine.title = R"(a "b" \ # c = [d])";
  EXPECT_EQ(reloaded(folder, loaded).machine.title, loaded.machine.title);
}

TEST(CheckMachine, NamesFieldsOfAMachineBuiltInCode) {
  Machine machine = load_machine("v100", {}, directories());
  EXPECT_NO_THROW(check_machine(machine));
  machine.sm.max_warps = 128;
  machine.xbar.latency = 0;
  machine.name.clear();
  try {
    check_machine(machine);
    FAIL();
  } catch (const Error& error) {
    std::vector<std::string> expected;
    for (const Problem& problem : error.problems()) {
      expected.push_back(problem.expected.substr(0, problem.expected.find(' ')));
    }
    EXPECT_THAT(expected, testing::ElementsAre("name", "sm.max_warps", "xbar.latency"));
  }
}

}  // namespace
}  // namespace wg::config::test
