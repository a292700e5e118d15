// The container format: what GgufFile must read and refuse, without interpreting keys.

#include "runtime/model/gguf/gguf_file.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/expect_input_error.h"
#include "tests/support/gguf_writer.h"

namespace outrider::model {
namespace {

using test::expect_input_error;
using test::GgufWriter;

/// One key and two tensors of 64 floats.
GgufWriter small_file(std::uint32_t version = 3) {
  GgufWriter file(version);
  file.set("general.name", "small");
  file.add_tensor({"first", {32, 2}, 0, std::vector<std::byte>(256, std::byte{1})});
  file.add_tensor({"second", {64}, 0, std::vector<std::byte>(256, std::byte{2})});
  return file;
}

GgufFile parse(const std::vector<std::byte>& bytes) { return GgufFile::parse(bytes, "x.gguf"); }

TEST(GgufFile, ReadsKeysAndTensorsOfVersions2And3) {
  for (const std::uint32_t version : {2u, 3u}) {
    GgufWriter writer = small_file(version);
    writer.set("a", 7u);
    writer.set("b", -0.5f);
    writer.set("c", true);
    writer.set_raw("d", 1, {std::byte{0xFE}});  // an int8
    writer.set("e", std::vector<std::string>{"x", "", "yz"});
    const auto bytes = writer.bytes();
    const GgufFile file = parse(bytes);
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(std::get<std::string_view>(*file.find("general.name")), "small");
    EXPECT_EQ(std::get<std::uint64_t>(*file.find("a")), 7u);
    EXPECT_EQ(std::get<double>(*file.find("b")), -0.5);
    EXPECT_EQ(std::get<bool>(*file.find("c")), true);
    EXPECT_EQ(std::get<std::int64_t>(*file.find("d")), -2);
    EXPECT_EQ(std::get<GgufArray>(*file.find("e")).count, 3u);
    EXPECT_EQ(file.find("f"), nullptr);

    ASSERT_EQ(file.tensors().size(), 2u);
    const GgufTensor& first = file.tensors()[0];
    EXPECT_EQ(first.name, "first");
    EXPECT_EQ(first.dimensions, 2);
    EXPECT_EQ(first.shape, (std::array<std::int64_t, 4>{32, 2, 1, 1}));
    EXPECT_EQ(first.bytes.size(), 256u);
    EXPECT_EQ(first.bytes[255], std::byte{1});
    EXPECT_EQ(file.tensors()[1].bytes[0], std::byte{2});
  }
}

TEST(GgufFile, UsesTheAlignmentOfTheFile) {
  GgufWriter writer;
  writer.set("general.alignment", 64u);
  // With 64 the data begins later than with the 32 of the writer: the file must be too short.
  writer.add_tensor({"t", {8}, 0, std::vector<std::byte>(32)});
  while (writer.header_size() % 64 == 0 || writer.header_size() % 64 > 32) {
    writer.set("pad" + std::to_string(writer.header_size()), true);
  }
  expect_input_error([&] { parse(writer.bytes()); }, "x.gguf", "tensor 't'");
  writer.set("general.alignment", 32u);
  EXPECT_EQ(parse(writer.bytes()).tensors().size(), 1u);
}

struct Refusal {
  const char* name;
  std::function<void(GgufWriter&)> damage;
  std::vector<std::string> expected;
};

class RefusesContainer : public testing::TestWithParam<Refusal> {};

TEST_P(RefusesContainer, AndSaysWhy) {
  GgufWriter writer = small_file();
  EXPECT_NO_THROW(parse(writer.bytes()));
  GetParam().damage(writer);
  const auto bytes = writer.bytes();
  for (const std::string& part : GetParam().expected) {
    expect_input_error([&] { parse(bytes); }, "x.gguf", part);
  }
}

std::vector<std::byte> zeros(std::size_t count) { return std::vector<std::byte>(count); }

const Refusal kRefusals[] = {
    {"RepeatedKey",
     [](GgufWriter& w) { w.repeat("general.name"); },
     {"general.name", "duplicated"}},
    {"EmptyKey", [](GgufWriter& w) { w.set("", 1u); }, {"empty"}},
    {"KeyThatIsNotUtf8", [](GgufWriter& w) { w.set("a\xC0", 1u); }, {"not UTF-8"}},
    {"OverlongKey", [](GgufWriter& w) { w.set("\xC0\xAF", 1u); }, {"not UTF-8"}},
    {"SurrogateInKey", [](GgufWriter& w) { w.set("\xED\xA0\x80", 1u); }, {"not UTF-8"}},
    {"UnknownValueType", [](GgufWriter& w) { w.set_raw("k", 13, zeros(8)); }, {"'k'", "13"}},
    {"BoolOfTwo", [](GgufWriter& w) { w.set_raw("k", 7, {std::byte{2}}); }, {"'k'", "bool"}},
    {"ArrayOfArrays",
     [](GgufWriter& w) {
       auto value = zeros(12);
       value[0] = std::byte{9};
       w.set_raw("k", 9, value);
     },
     {"'k'", "array of arrays"}},
    {"RepeatedTensor",
     [](GgufWriter& w) { w.tensor("second").name = "first"; },
     {"'first'", "duplicated"}},
    {"NamelessTensor", [](GgufWriter& w) { w.tensor("second").name = ""; }, {"empty"}},
    {"NoDimensions", [](GgufWriter& w) { w.tensor("second").shape = {}; }, {"'second'", "0 dim"}},
    {"FiveDimensions",
     [](GgufWriter& w) {
       w.tensor("second").shape = {64, 1, 1, 1, 1};
     },
     {"'second'", "5 dimensions"}},
    {"EmptyDimension",
     [](GgufWriter& w) { w.tensor("second").shape = {0}; },
     {"'second'", "extent 0"}},
    {"NumbersOver64Bits",
     [](GgufWriter& w) {
       w.tensor("second").shape = {1ull << 32, 1ull << 32};
     },
     {"'second'", "impossible"}},
    {"BytesOver64Bits",
     [](GgufWriter& w) {
       w.tensor("second").shape = {1ull << 31, 1ull << 31};
       // 2^62 numbers of 4 bytes
     },
     {"'second'", "too large"}},
    {"LargerThanTheFile",
     [](GgufWriter& w) { w.tensor("second").shape = {65}; },
     {"'second'", "260"}},
    {"UnsupportedType",
     [](GgufWriter& w) { w.tensor("second").type = 19; },
     {"'second'", "IQ1_S", "expected one of F32, F16"}},
    {"UnknownType", [](GgufWriter& w) { w.tensor("second").type = 99; }, {"'second'", "99"}},
    {"RowsOfHalfABlock",
     [](GgufWriter& w) {
       w.tensor("first").type = 8;
       w.tensor("first").shape = {16, 4};
     },
     {"'first'", "16", "Q8_0", "multiple of 32"}},
    {"MisalignedData",
     [](GgufWriter& w) { w.tensor("second").offset_shift = 4; },
     {"'second'", "260", "32"}},
    {"OffsetBeyondTheFile",
     [](GgufWriter& w) { w.tensor("second").offset_shift = 1 << 20; },
     {"'second'", "damaged"}},
    {"NegativeOffset", [](GgufWriter& w) { w.tensor("first").offset_shift = -32; }, {"'first'"}},
    {"OverlappingData",
     [](GgufWriter& w) { w.tensor("second").offset_shift = -32; },
     {"'first'", "'second'", "overlap"}},
    {"AlignmentOf48",
     [](GgufWriter& w) { w.set("general.alignment", 48u); },
     {"general.alignment", "48"}},
    {"AlignmentOf0",
     [](GgufWriter& w) { w.set("general.alignment", 0u); },
     {"general.alignment", "0"}},
    {"AlignmentThatIsText",
     [](GgufWriter& w) { w.set("general.alignment", "32"); },
     {"general.alignment"}},
    {"Version1",
     [](GgufWriter& w) { w = small_file(1); },
     {"version 1", "expected version 2 or 3"}},
    {"Version4", [](GgufWriter& w) { w = small_file(4); }, {"version 4"}},
    {"BigEndian", [](GgufWriter& w) { w = small_file(3u << 24); }, {"big-endian"}},
};

INSTANTIATE_TEST_SUITE_P(GgufFile, RefusesContainer, testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(GgufFile, RefusesAFileOfAnotherKind) {
  const std::string text = "This is a text file, not a model.";
  const auto bytes = std::as_bytes(std::span(text));
  expect_input_error([&] { GgufFile::parse(bytes, "notes.txt"); }, "notes.txt", "not a GGUF file");
  expect_input_error([&] { GgufFile::parse(bytes.first(2), "notes.txt"); }, "not a GGUF file");
}

}  // namespace
}  // namespace outrider::model
