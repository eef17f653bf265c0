#include <gtest/gtest.h>

#include <set>
#include <string>

#include "isa/inst.hpp"

namespace wg::isa {
namespace {

TEST(Names, ClassNamesAreUniqueAndReadBack) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < kInstClasses; ++i) {
    const auto cls = static_cast<InstClass>(i);
    EXPECT_TRUE(seen.insert(name_of(cls)).second) << name_of(cls);
    InstClass back = InstClass::nop;
    ASSERT_TRUE(class_from_name(name_of(cls), back));
    EXPECT_EQ(back, cls);
  }
}

TEST(Names, ClassNamesStandAtTheirPlaces) {
  EXPECT_EQ(name_of(InstClass::fp32), "fp32");
  EXPECT_EQ(name_of(InstClass::imad_wide), "imad_wide");
  EXPECT_EQ(name_of(InstClass::tensor_fp64), "tensor_fp64");
  EXPECT_EQ(name_of(InstClass::depbar), "depbar");
  EXPECT_EQ(name_of(InstClass::ldgsts), "ldgsts");
  EXPECT_EQ(name_of(InstClass::tma), "tma");
  EXPECT_EQ(name_of(InstClass::other), "other");
}

TEST(Names, UnknownNamesAreRefusedAndLeaveTheOutput) {
  InstClass cls = InstClass::barrier;
  EXPECT_FALSE(class_from_name("FP32", cls));
  EXPECT_FALSE(class_from_name("", cls));
  EXPECT_EQ(cls, InstClass::barrier);
  Generation generation = Generation::turing;
  EXPECT_FALSE(generation_from_name("Volta", generation));
  EXPECT_FALSE(generation_from_name("rdna", generation));
  EXPECT_EQ(generation, Generation::turing);
}

TEST(Names, GenerationsReadBack) {
  for (int i = 0; i <= static_cast<int>(Generation::hopper); ++i) {
    const auto generation = static_cast<Generation>(i);
    Generation back = Generation::fermi;
    ASSERT_TRUE(generation_from_name(name_of(generation), back));
    EXPECT_EQ(back, generation);
  }
  EXPECT_EQ(name_of(Generation::fermi), "fermi");
  EXPECT_EQ(name_of(Generation::hopper), "hopper");
}

struct Version {
  std::uint32_t number;
  Generation generation;
};

TEST(BinaryVersion, EveryShippedNumberHasItsGeneration) {
  using enum Generation;
  for (const Version& v : {Version{20, fermi}, {21, fermi},   {30, kepler},  {32, kepler},  {35, kepler},
                           {37, kepler},       {50, maxwell}, {52, maxwell}, {53, maxwell}, {60, pascal},
                           {61, pascal},       {62, pascal},  {70, volta},   {72, volta},   {75, turing},
                           {80, ampere},       {86, ampere},  {87, ampere},  {89, ada},     {90, hopper}}) {
    Generation found = v.generation == fermi ? hopper : fermi;
    ASSERT_TRUE(generation_of(v.number, found)) << v.number;
    EXPECT_EQ(found, v.generation) << v.number;
  }
}

TEST(BinaryVersion, NewerThanKnownMapsToTheNewest) {
  for (const std::uint32_t number : {100U, 101U, 103U, 110U, 120U, 121U}) {
    Generation found = Generation::fermi;
    ASSERT_TRUE(generation_of(number, found)) << number;
    EXPECT_EQ(found, Generation::hopper);
  }
}

TEST(BinaryVersion, OtherNumbersAreRefused) {
  for (const std::uint32_t number :
       {0U, 10U, 13U, 22U, 31U, 36U, 40U, 51U, 63U, 71U, 76U, 81U, 300U, 900U, ~0U}) {
    Generation found = Generation::volta;
    EXPECT_FALSE(generation_of(number, found)) << number;
    EXPECT_EQ(found, Generation::volta);
  }
}

}  // namespace
}  // namespace wg::isa
