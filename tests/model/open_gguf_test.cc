// Models that are split over several files.

#include "runtime/model/gguf/open_gguf.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/model/identity.h"
#include "runtime/model/model.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::model {
namespace {

using test::expect_input_error;
using test::GgufWriter;

class SplitGguf : public testing::Test {
 protected:
  static GgufWriter whole() { return test::tiny_llama_writer({}, 3, WeightType::kQ4_0); }

  std::filesystem::path part(int number, int count = 3) const {
    return folder_.path() /
           ("tiny-0000" + std::to_string(number) + "-of-0000" + std::to_string(count) + ".gguf");
  }
  static void save(const std::filesystem::path& path, const GgufWriter& writer) {
    const auto bytes = writer.bytes();
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  /// Part `number` of three, from 0, with every third tensor; only the first has the model's metadata.
  static GgufWriter made(int number) {
    const auto bytes = whole().bytes();
    const GgufFile file = GgufFile::parse(bytes, "tiny");
    GgufWriter writer = number == 0 ? whole() : GgufWriter();
    writer.set("split.no", static_cast<std::uint32_t>(number));
    writer.set("split.count", 3u);
    writer.set("split.tensors.count", static_cast<std::uint32_t>(file.tensors().size()));
    GgufWriter all = whole();
    int index = 0;
    for (const GgufTensor& tensor : file.tensors()) {
      const bool mine = index++ % 3 == number;
      const std::string name(tensor.name);
      if (number == 0 && !mine) writer.erase_tensor(name);
      if (number != 0 && mine) writer.add_tensor(all.tensor(name));
    }
    return writer;
  }
  void save_all() const {
    for (int number = 0; number < 3; ++number) save(part(number + 1), made(number));
  }

  test::TemporaryFolder folder_;
};

TEST_F(SplitGguf, IsOneModelWhicheverPartIsNamed) {
  save_all();
  const auto bytes = whole().bytes();
  const Model expected = parse_model(bytes, "tiny");
  for (const int number : {1, 3}) {
    const Model model = load_model(part(number));
    EXPECT_EQ(model.files.size(), 3u);
    EXPECT_EQ(model_hash(model), model_hash(load_model(part(2))));
    std::vector<float> row(96), expected_row(96);
    for (std::size_t layer = 0; layer < 2; ++layer) {
      model.layers[layer].down.read_row(5, row.data());
      expected.layers[layer].down.read_row(5, expected_row.data());
      EXPECT_EQ(row, expected_row);
    }
    EXPECT_EQ(load_tokenizer(part(number)).tokens, expected.tokenizer.tokens);
  }
}

TEST_F(SplitGguf, NamesThePartThatIsMissingOrDoesNotBelong) {
  save_all();
  std::filesystem::remove(part(2));
  expect_input_error([&] { load_model(part(1)); }, part(2).string(), "no such file",
                     "split over 3 files");
  save(part(2), made(2));
  expect_input_error([&] { load_model(part(1)); }, part(2).string(), "'split.no' is 2");
  GgufWriter other = made(1);
  other.set("split.count", 2u);
  save(part(2), other);
  expect_input_error([&] { load_model(part(1)); }, part(2).string(), "'split.count' is 2");
  GgufWriter twice = made(1);
  twice.add_tensor(whole().tensor("output_norm.weight"));
  GgufWriter first = made(0);
  bool has_norm = true;
  try {
    first.tensor("output_norm.weight");
  } catch (const std::out_of_range&) {
    has_norm = false;
  }
  if (!has_norm) first.add_tensor(whole().tensor("output_norm.weight"));
  save(part(1), first);
  save(part(2), twice);
  expect_input_error([&] { load_model(part(1)); }, "'output_norm.weight'");
}

TEST_F(SplitGguf, HasNamesWithTheirNumbers) {
  save(folder_.path() / "first.gguf", made(0));
  expect_input_error([&] { load_model(folder_.path() / "first.gguf"); }, "part 1 of a model",
                     "-00001-of-00003.gguf", "merge");
}

TEST_F(SplitGguf, HasAllItsTensors) {
  save_all();
  GgufWriter less = made(0);
  less.set("split.tensors.count", 7u);
  save(part(1), less);
  expect_input_error([&] { load_model(part(1)); }, "'split.tensors.count' is 7");
}

}  // namespace
}  // namespace outrider::model
