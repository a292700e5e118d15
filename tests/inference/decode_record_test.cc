#include "runtime/inference/decode_record.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/draft/copy/pld_drafter.h"
#include "runtime/inference/dialogue.h"
#include "tests/inference/tiny_target.h"

namespace outrider::inference {
namespace {

using Json = nlohmann::ordered_json;

class DecodeRecordTest : public testing::Test {
 protected:
  GeneratedText generate(const GenerationOptions& options, TextName name) {
    Generation generation(tiny_.target(), options, 256,
                          std::make_unique<draft::Pld>(draft::PldOptions()));
    return generation.generate(std::move(name), Dialogue(tiny_.target()).ask("abcabcabc"));
  }
  std::vector<DecodedText> read(const std::string& records) {
    const auto& config = tiny_.target().model().config;
    return parse_decode_records(records, "decoded.jsonl", config.vocab, config.context);
  }

  test::TinyTarget tiny_;
};

TEST_F(DecodeRecordTest, IsReadAsItWasWritten) {
  GenerationOptions options = {.max_new = 12};
  options.sampler = {.temperature = 0.8,
                     .top_k = 5,
                     .top_p = 0.9,
                     .min_p = 0.1,
                     .repetition_penalty = 1.2,
                     .presence_penalty = 0.3,
                     .frequency_penalty = 0.4,
                     .logit_bias = {{7, -1.5}, {20, 2}},
                     .seed = UINT64_MAX};
  const GeneratedText text = generate(options, {"a \"b\"", "t", 2, 3});
  const std::string method = "pld";
  const Json settings = {{"draft_length", 10}};
  const std::string record =
      decode_record(text, tiny_.target(), {options, method, settings, false, true, 5});
  EXPECT_EQ(std::count(record.begin(), record.end(), '\n'), 1);
  const std::vector<DecodedText> all = read(record + record);
  ASSERT_EQ(all.size(), 2u);
  for (const DecodedText& read : all) {
    EXPECT_EQ(read.name.prompt, text.name.prompt);
    EXPECT_EQ(read.name.task, text.name.task);
    EXPECT_EQ(read.name.turn, 2);
    EXPECT_EQ(read.name.sample, 3);
    EXPECT_EQ(read.prompt_tokens, text.prompt_tokens);
    EXPECT_EQ(read.output_tokens, text.result.tokens);
    EXPECT_EQ(read.max_new, 12);
    EXPECT_EQ(read.context, tiny_.target().context());
    const sampling::SamplerOptions &got = read.sampler, &given = options.sampler;
    EXPECT_EQ(got.temperature, given.temperature);
    EXPECT_EQ(got.top_k, given.top_k);
    EXPECT_EQ(got.top_p, given.top_p);
    EXPECT_EQ(got.min_p, given.min_p);
    EXPECT_EQ(got.repetition_penalty, given.repetition_penalty);
    EXPECT_EQ(got.presence_penalty, given.presence_penalty);
    EXPECT_EQ(got.frequency_penalty, given.frequency_penalty);
    EXPECT_TRUE(std::is_permutation(got.logit_bias.begin(), got.logit_bias.end(),
                                    given.logit_bias.begin(), given.logit_bias.end()));
    EXPECT_EQ(got.seed, given.seed);
  }
}

TEST_F(DecodeRecordTest, NamesATurnAndASampleOnlyWhereThereAreSeveral) {
  const GenerationOptions options = {.max_new = 4};
  const GeneratedText text = generate(options, {"a", ""});
  const std::string method = "pld";
  const Json settings = {{"draft_length", 10}};
  const std::string record = decode_record(text, tiny_.target(), {options, method, settings});
  const Json all = Json::parse(record);
  EXPECT_FALSE(all.contains("turn"));
  EXPECT_FALSE(all.contains("sample"));
  EXPECT_EQ(all["method"], "pld");
  EXPECT_EQ(all["settings"]["draft_length"], 10);
  EXPECT_EQ(all["drafts"], drafts_by_pass(text.result.stats.by_pass));
  const std::vector<DecodedText> one = read(record);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].name.turn, 1);
  EXPECT_EQ(one[0].name.sample, 1);
}

}  // namespace
}  // namespace outrider::inference
