// What may go to a terminal, and small tables.
#include "base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/csv_table.hpp"
#include "base/error.hpp"
#include "base/rng.hpp"

namespace wg {
namespace {

using testing::ElementsAre;

TEST(Printable, KeepsUtf8AndEscapesWhatSteersATerminal) {
  EXPECT_EQ(printable("1 µs, naïve, 日本, 🙂 \\ \"x\""), "1 µs, naïve, 日本, 🙂 \\ \"x\"");
  EXPECT_EQ(printable("\x1b[31mred\a\x7f"), "\\x1b[31mred\\x07\\x7f");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");                             // CSI as one character
  EXPECT_EQ(printable("\xff\xe2\x82"), "\\xff\\xe2\\x82");                    // no UTF-8, cut short
  EXPECT_EQ(printable("\xc0\x9b\xed\xa0\x80"), "\\xc0\\x9b\\xed\\xa0\\x80");  // overlong, surrogate
}

TEST(Printable, LeavesNoControlByteOfAnyInput) {
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (std::uint64_t n = rng.below(12); n > 0; --n) {
      text += static_cast<char>(rng.below(256));
    }
    const std::string out = printable(text);
    for (const char c : out) {
      ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
    }
    ASSERT_EQ(printable(out), out);
  }
}

TEST(Errors, EscapeWhatTheInputHeld) {
  const Error error({.where = "a\x1b]0;x\a.toml:1", .expected = "µs", .found = "\x1b[2J", .advice = "é\n"});
  EXPECT_STREQ(error.what(), "a\\x1b]0;x\\x07.toml:1: expected µs, found \\x1b[2J (é\\n)");
}

TEST(CsvTable, CommentsMayStandAnywhere) {
  const CsvTable table =
      parse_csv_table("# batch: 8\n\nlayer, ratio # of zvc\r\n a ,2#x,y\n#b,3\nc,4", "t.csv");
  EXPECT_THAT(table.columns, ElementsAre("layer", "ratio"));
  EXPECT_EQ(table.where_columns(), "t.csv:3");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(table.rows[0].cells, ElementsAre("a", "2"));
  EXPECT_EQ(table.where(table.rows[1]), "t.csv:6");
  EXPECT_EQ(table.number(table.rows[1], 1, 0, 9), 4);
  EXPECT_THROW(static_cast<void>(table.number(table.rows[1], 1, 5, 9)), Error);
  EXPECT_EQ(table.note("batch"), "8");
  EXPECT_EQ(table.column("none"), CsvTable::kNone);
}

TEST(CsvTable, RefusesARowOfAnotherLength) {
  try {
    parse_csv_table("a,b\n1,2\n1 # ,2\n", "t.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "t.csv:3: expected 2 values: a, b, found 1");
  }
}

}  // namespace
}  // namespace wg
