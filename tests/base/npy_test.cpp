#include "base/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/rng.hpp"

namespace wg {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// A file with `data` bytes after the preamble of version 1 around `dictionary`.
std::vector<std::byte> file_of(const std::string& dictionary, std::size_t data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  const std::string lengths{static_cast<char>(dictionary.size() & 0xFF),
                            static_cast<char>(dictionary.size() >> 8), '\0', '\0'};
  text += lengths.substr(0, version == 1 ? 2 : 4) + dictionary + std::string(data, 'x');
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string refused(const std::vector<std::byte>& file) {
  try {
    read_npy(file, "a.npy");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Npy, ReadsWhatNumpyWrites) {
  const auto file = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 3), }   \n", 48);
  const NpyArray array = read_npy(file, "a.npy");
  EXPECT_EQ(array.header, (NpyHeader{"<f4", false, {4, 3}}));
  EXPECT_EQ(array.header.element_bytes(), 4U);
  EXPECT_EQ(array.header.elements(), 12U);
  EXPECT_THAT(array.data, SizeIs(48));
  EXPECT_EQ(array.preamble.size() + array.data.size(), file.size());
}

TEST(Npy, ReadsEveryVersionAndKind) {
  EXPECT_EQ(refused(file_of("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", 6, 2)), "");
  EXPECT_EQ(refused(file_of("{\"shape\":(7,),\"descr\":\">i8\",\"fortran_order\":False}", 56, 3)), "");
  EXPECT_EQ(refused(file_of("{'descr': '<V2', 'fortran_order': False, 'shape': ()}", 2)), "");
  EXPECT_EQ(refused(file_of("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 9)}", 0)), "");
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save of zeros((32, 32, 7, 7), '<f4') and of a scalar, NumPy 1.24.
  const std::string preamble = npy_preamble({"<f4", false, {32, 32, 7, 7}});
  EXPECT_THAT(preamble, SizeIs(128));
  EXPECT_EQ(preamble.substr(6, 4), std::string("\x01\x00\x76\x00", 4));
  EXPECT_EQ(preamble.substr(10, 63), "{'descr': '<f4', 'fortran_order': False, 'shape': (32, 32, 7, 7");
  EXPECT_EQ(preamble.back(), '\n');
  EXPECT_EQ(npy_dictionary({"|u1", false, {5}}), "{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }");
  EXPECT_EQ(npy_dictionary({"<f8", true, {}}), "{'descr': '<f8', 'fortran_order': True, 'shape': (), }");
}

TEST(Npy, ReadsWhatItWrites) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    NpyHeader header{i % 2 == 0 ? "<f4" : "|u1", rng.below(2) == 0, {}};
    for (std::size_t axes = rng.below(7); axes > 0; --axes) {
      header.shape.push_back(rng.below(5));
    }
    const std::string text = npy_preamble(header);
    EXPECT_EQ(text.size() % 64, 0U);
    const auto bytes = std::as_bytes(std::span(text));
    std::vector<std::byte> file(bytes.size() + header.elements() * header.element_bytes());
    std::copy(bytes.begin(), bytes.end(), file.begin());
    EXPECT_EQ(read_npy(file, "a.npy").header, header);
  }
}

TEST(Npy, SaysWhatIsWrongAndWhere) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
  EXPECT_THAT(refused({}), HasSubstr("a.npy@0: expected a NumPy array"));
  EXPECT_THAT(refused(file_of(good, 16, 4)), HasSubstr("a.npy@6"));
  EXPECT_THAT(refused(file_of(good, 15)), HasSubstr("expected 16 bytes of data, found 15"));
  EXPECT_THAT(refused(file_of(good, 17)), HasSubstr("expected 16 bytes of data, found 17"));
  EXPECT_THAT(refused(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}", 16)),
              HasSubstr("a.npy@20"));
  EXPECT_THAT(refused(file_of("{'descr': '<f0', 'fortran_order': False, 'shape': (4,)}", 0)),
              HasSubstr("'<f4'"));
  EXPECT_THAT(refused(file_of("{'descr': '|O8', 'fortran_order': False, 'shape': (4,)}", 32)),
              HasSubstr("'<f4'"));
  EXPECT_THAT(refused(file_of("{'descr': '<f4', 'shape': (4,)}", 16)), HasSubstr("fortran_order"));
  EXPECT_THAT(refused(file_of("{'descr': '<f4', 'fortran_order': 0, 'shape': (4,)}", 16)),
              HasSubstr("True or False"));
  EXPECT_THAT(refused(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (-4,)}", 16)),
              HasSubstr("lengths"));
  EXPECT_THAT(
      refused(file_of("{'descr': '<f4', 'fortran_order': True, 'shape': (9999999999, 9999999999)}", 16)),
      HasSubstr("2^64"));
}

TEST(Npy, EveryTruncationIsNoticed) {
  const auto file = file_of("{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", 16);
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(refused({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
}

}  // namespace
}  // namespace wg
