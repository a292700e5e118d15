#include "runtime/model/own_sampling.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/model/damaged_folder.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_llama.h"

namespace outrider::model {
namespace {

using nlohmann::json;

void expect_numbers(const OwnSampling& own, double temperature, int top_k, double top_p,
                    double min_p, double repetition_penalty) {
  EXPECT_EQ(own.temperature, temperature);
  EXPECT_EQ(own.top_k, top_k);
  EXPECT_EQ(own.top_p, top_p);
  EXPECT_EQ(own.min_p, min_p);
  EXPECT_EQ(own.repetition_penalty, repetition_penalty);
}

class SamplingByFiles : public DamagedFolder {
 protected:
  /// @return what the folder says with this generation_config.json
  std::optional<OwnSampling> of_folder(const json& settings) {
    write_file(path_ / "generation_config.json", settings.dump());
    return own_sampling(path_);
  }

  /// @return what a file says with these keys
  std::optional<OwnSampling> of_file(const std::function<void(test::GgufWriter&)>& set) {
    test::GgufWriter writer = test::tiny_llama_writer({}, 3, WeightType::kF32);
    set(writer);
    const test::TemporaryFolder folder;
    const std::vector<std::byte> bytes = writer.bytes();
    write_file(folder.path() / "x.gguf",
               {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return own_sampling(folder.path() / "x.gguf");
  }
};

TEST_F(SamplingByFiles, SayTheSameAsFolderAndAsGguf) {
  copy("llama_tied");
  const auto folder = of_folder({{"do_sample", true},
                                 {"temperature", 0.7},
                                 {"top_k", 20},
                                 {"top_p", 0.95},
                                 {"min_p", 0.05},
                                 {"repetition_penalty", 1.1},
                                 {"typical_p", 1.0},
                                 {"num_beams", 1}});
  const auto file = of_file([](test::GgufWriter& writer) {
    writer.set("general.sampling.temp", 0.7F);
    writer.set("general.sampling.top_k", 20u);
    writer.set("general.sampling.top_p", 0.95F);
    writer.set("general.sampling.min_p", 0.05F);
    writer.set("general.sampling.penalty_repeat", 1.1F);
    writer.set("general.sampling.mirostat", 0u);
    writer.set("general.sampling.xtc_probability", 0.0F);
  });
  for (const auto& own : {folder, file}) {
    ASSERT_TRUE(own);
    expect_numbers(*own, 0.7, 20, 0.95, 0.05, 1.1);
    EXPECT_TRUE(own->left_out.empty());
  }
}

TEST_F(SamplingByFiles, SayNothingUnlessTokensAreSampled) {
  copy("llama_tied");
  EXPECT_FALSE(of_folder({{"eos_token_id", 2}}));
  EXPECT_FALSE(of_folder({{"temperature", 0.7}}));  // of greedy decoding, which does not read it
  EXPECT_FALSE(of_folder({{"do_sample", false}, {"temperature", 0.7}}));
  std::filesystem::remove(path_ / "generation_config.json");
  EXPECT_FALSE(own_sampling(path_));
  EXPECT_FALSE(of_file([](test::GgufWriter&) {}));
}

TEST_F(SamplingByFiles, TurnOffWhatTheyDoNotSay) {
  copy("llama_tied");
  const auto own = of_folder({{"do_sample", true}, {"top_k", -1}});
  ASSERT_TRUE(own);
  expect_numbers(*own, 1, 0, 1, 0, 1);
}

TEST_F(SamplingByFiles, SayWhatIsNotImplemented) {
  copy("llama_tied");
  EXPECT_EQ(of_folder({{"do_sample", true}, {"num_beams", 4}, {"typical_p", 0.9}})->left_out,
            (std::vector<std::string>{"num_beams", "typical_p"}));
  EXPECT_EQ(
      of_file([](test::GgufWriter& writer) {
        writer.set("general.sampling.mirostat", 2u);
        writer.set("general.sampling.xtc_probability", 0.5F);
      })->left_out,
      (std::vector<std::string>{"general.sampling.xtc_probability", "general.sampling.mirostat"}));
}

TEST_F(SamplingByFiles, SayOverHowManyTokensAPenaltyLooksBack) {
  const auto penalised = [&](std::int32_t tokens) {
    std::vector<std::byte> value(sizeof tokens);
    std::memcpy(value.data(), &tokens, sizeof tokens);
    return of_file([&](test::GgufWriter& writer) {
      writer.set("general.sampling.penalty_repeat", 1.5F);
      writer.set_raw("general.sampling.penalty_last_n", 5, value);  // of 32 bits, with a sign
    });
  };
  EXPECT_EQ(penalised(-1)->repetition_penalty, 1.5);
  EXPECT_TRUE(penalised(-1)->left_out.empty());
  EXPECT_EQ(penalised(0)->repetition_penalty, 1);
  EXPECT_TRUE(penalised(0)->left_out.empty());
  EXPECT_EQ(penalised(64)->left_out, std::vector<std::string>{"general.sampling.penalty_last_n"});
}

TEST_F(SamplingByFiles, AreRefusedWhereTheyAreInvalid) {
  copy("llama_tied");
  for (const json& wrong : {json{{"temperature", "warm"}}, json{{"top_p", 1.5}},
                            json{{"temperature", -1}}, json{{"repetition_penalty", 0}}}) {
    json settings = wrong;
    settings["do_sample"] = true;
    test::expect_input_error([&] { of_folder(settings); }, "generation_config.json",
                             wrong.begin().key());
  }
  test::expect_input_error(
      [&] {
        of_file([](test::GgufWriter& writer) { writer.set("general.sampling.temp", "warm"); });
      },
      "x.gguf", "general.sampling.temp");
}

}  // namespace
}  // namespace outrider::model
