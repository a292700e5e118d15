#include "runtime/grammar/answer_format.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/grammar/grammars.h"
#include "runtime/inference/conversation_batch.h"
#include "runtime/methods/list.h"
#include "runtime/session/session.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/tiny_engine.h"

namespace outrider::session {
namespace {

using grammar::AnswerFormat;
using nlohmann::json;
using Kind = AnswerFormat::Kind;

constexpr const char* kSchema = R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "maxLength": 5},
    "kind": {"enum": ["alpha", "beta", 7]},
    "good": {"type": "boolean"},
    "many": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 99}, "minItems": 1, "maxItems": 2},
    "note": {"anyOf": [{"type": "null"}, {"const": "because of it"}]}
  },
  "required": ["name", "kind", "good", "many", "note"]
})";

void expect_of_schema(const std::string& text) {
  const json answer = json::parse(text, nullptr, false);
  ASSERT_TRUE(answer.is_object()) << text;
  EXPECT_EQ(answer.size(), 5u) << text;
  EXPECT_TRUE(answer["name"].is_string()) << text;
  EXPECT_TRUE(answer["kind"] == "alpha" || answer["kind"] == "beta" || answer["kind"] == 7) << text;
  EXPECT_TRUE(answer["good"].is_boolean()) << text;
  ASSERT_TRUE(answer["many"].is_array()) << text;
  EXPECT_TRUE(answer["many"].size() == 1 || answer["many"].size() == 2) << text;
  for (const json& one : answer["many"]) EXPECT_TRUE(one >= 0 && one <= 99) << text;
  EXPECT_TRUE(answer["note"].is_null() || answer["note"] == "because of it") << text;
  EXPECT_TRUE(text.starts_with("{\"name\": \"")) << text;  // the schema's order, not the alphabet's
}

class AnswerFormats : public testing::Test {
 protected:
  AnswerFormats() {
    if (!grammar::has_grammars()) return;
    methods_ = methods::names_of(methods::all_methods());
    const auto plain = methods::new_method("ar");
    session_.emplace(SessionOptions{.target = {.model = calibrated_.target().options().model},
                                    .method = *plain});
  }
  void SetUp() override {
    if (!grammar::has_grammars()) GTEST_SKIP() << "built with -DOUTRIDER_GRAMMAR=OFF";
  }

  inference::GenerationOptions options(double temperature, const AnswerFormat& format,
                                       int max_new = 160) {
    inference::GenerationOptions options;
    options.max_new = max_new;
    if (temperature > 0) options.sampler = test::every_sampler_option();
    options.sampler.temperature = temperature;
    options.new_constraint = session_->grammars().compile(format);
    return options;
  }
  /// @param method  nullptr: plain decoding
  inference::GeneratedText generate(const methods::PreparedMethod* method,
                                    const inference::GenerationOptions& options,
                                    const std::string& message = "abcabc {\"name\": \"abc\"") {
    inference::Generation generation(session_->target(), options, 400,
                                     method == nullptr ? nullptr : method->new_drafter());
    return generation.generate({"p", ""}, inference::Dialogue(session_->target()).ask(message));
  }

  test::CalibratedTarget calibrated_;
  std::optional<Session> session_;
  std::vector<std::string> methods_;
  const AnswerFormat schema_ = {Kind::kJsonSchema, kSchema};
};

TEST_F(AnswerFormats, AreKeptToWithTheTextOfPlainDecodingByEveryMethod) {
  for (const double temperature : {0.0, 1.0}) {
    const inference::GenerationOptions wanted = options(temperature, schema_);
    const inference::GeneratedText plain = generate(nullptr, wanted);
    expect_of_schema(plain.text);
    EXPECT_EQ(plain.result.finish, decode::FinishReason::kStop);
    int forced = 0;
    for (const std::string& name : methods_) {
      const auto method = session_->prepare(*calibrated_.method(name), temperature);
      const inference::GeneratedText text = generate(&method, wanted);
      EXPECT_EQ(text.result.tokens, plain.result.tokens) << name << " at " << temperature;
      EXPECT_EQ(text.text, plain.text) << name;
      EXPECT_EQ(text.result.finish, plain.result.finish) << name;
      int by_drafters = 0;
      for (const draft::DrafterResults& one : text.result.stats.by_drafter) {
        by_drafters += static_cast<int>(one.drafted);
        if (one.name == "grammar") forced += static_cast<int>(one.accepted);
      }
      EXPECT_EQ(by_drafters, text.result.stats.drafted) << name;
    }
    EXPECT_GT(forced, static_cast<int>(methods_.size()))
        << "the text that the schema forces is drafted";
  }
}

TEST_F(AnswerFormats, AreKeptToByTextsInTheSamePasses) {
  std::vector<text::PromptRecord> prompts;
  for (const char* message : {"abcabc", "xyz", "{\"name\": \"q\", \"kind\""}) {
    prompts.emplace_back();
    prompts.back().id = message;
    prompts.back().turns = {message};
  }
  const inference::GenerationOptions wanted = options(0.9, schema_);
  for (const char* name : {"pld", "tsd", "recycling"}) {
    const auto method = session_->prepare(*calibrated_.method(name), 0.9);
    inference::ConversationBatch batch(session_->target(), wanted,
                                       [&] { return method.new_drafter(); },
                                       {.sequences = 3, .samples = 2});
    int texts = 0;
    batch.run(prompts, [&](const inference::BatchedText& one) {
      inference::Generation alone(session_->target(), wanted, one.text.context, nullptr);
      const auto plain = alone.generate(one.text.name, one.text.prompt_tokens);
      EXPECT_EQ(one.text.result.tokens, plain.result.tokens)
          << name << ", " << one.text.name.prompt;
      expect_of_schema(one.text.text);
      ++texts;
    });
    EXPECT_EQ(texts, 6);
  }
}

TEST_F(AnswerFormats, OfAnyObjectIsAnObject) {
  // Random weights would hardly ever close a text, so that it is made likely.
  inference::GenerationOptions wanted = options(1, {.kind = Kind::kJsonObject}, 300);
  wanted.sampler = {.temperature = 1, .seed = 4};
  const text::Tokenizer& tokenizer = session_->target().tokenizer();
  for (const char* piece : {"\"", "}", "]"})
    wanted.sampler.logit_bias.emplace_back(tokenizer.encode(piece, false).at(0), 6);
  const auto method = session_->prepare(*calibrated_.method("pld"), 1);
  for (int seed = 0; seed < 4; ++seed) {
    wanted.sampler.seed = static_cast<std::uint64_t>(seed);
    const inference::GeneratedText text = generate(&method, wanted);
    EXPECT_EQ(text.result.tokens, generate(nullptr, wanted).result.tokens);
    EXPECT_EQ(text.result.finish, decode::FinishReason::kStop) << text.text;
    EXPECT_TRUE(json::parse(text.text, nullptr, false).is_object()) << text.text;
  }
}

TEST_F(AnswerFormats, EndWhereTheLimitIsReached) {
  const auto method = session_->prepare(*calibrated_.method("pld"), 0);
  for (const int max_new : {1, 2, 9}) {
    const inference::GeneratedText text = generate(&method, options(0, schema_, max_new));
    EXPECT_EQ(text.result.finish, decode::FinishReason::kLength);
    EXPECT_EQ(text.result.tokens.size(), static_cast<std::size_t>(max_new));
  }
}

TEST_F(AnswerFormats, AreNotLeftForABias) {
  inference::GenerationOptions wanted = options(1, schema_);
  wanted.sampler.logit_bias = {{session_->target().end_tokens().front(), 1e6},
                               {session_->target().tokenizer().encode("x", false).at(0), 1e5}};
  const auto method = session_->prepare(*calibrated_.method("ssd"), 1);
  const inference::GeneratedText text = generate(&method, wanted);
  EXPECT_EQ(text.text.substr(0, 15), "{\"name\": \"xxxxx");
  expect_of_schema(text.text);
}

TEST_F(AnswerFormats, VerifiedByRejectionAreKeptToToo) {
  auto ssd = calibrated_.method("ssd");
  methods::fill_in(*ssd, "verify", "rejection");
  const auto method = session_->prepare(*ssd, 1);
  for (int seed = 0; seed < 6; ++seed) {
    inference::GenerationOptions wanted = options(1, schema_);
    wanted.sampler = {.temperature = 1, .seed = static_cast<std::uint64_t>(seed)};
    expect_of_schema(generate(&method, wanted).text);
  }
}

TEST_F(AnswerFormats, RefuseWhatIsNoSchemaOrCannotBeEnsured) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{", "not JSON from byte"},
      {"\"\xff\"", "not UTF-8"},
      {"[]", "expected an object, found []"},
      {R"({"type": "strin"})", "Unsupported type"},
      {R"({"type": "string", "minLength": 5, "maxLength": 2})", "minLength 5 is greater"},
      {R"({"type": "string", "pattern": "(a"})", "cannot be made a grammar"},
      {R"({"type": "string", "pattern": "^a$", "maxLength": 2})", "pattern combined with"},
      {R"({"enum": []})", "enum array must not be empty"},
      {R"({"$ref": "#/definitions/x"})", "Cannot find field definitions"},
      {R"({"properties": {"a": {"not": {"type": "string"}}}})",
       "/properties/a: \"not\" is not supported"},
      {R"({"minimum": 3})", "expected \"type\" beside"},
      {R"({"anyOf": [{"type": "null"}], "minimum": 3})", "\"minimum\" beside \"anyOf\""},
      {R"({"allOf": [{"type": "string"}, {"maxLength": 3}]})", "\"allOf\" of several"},
      {R"({"type": "array", "items": {}, "uniqueItems": true})",
       "\"uniqueItems\" is not supported"},
      {R"({"type": "array"})", "an array needs \"items\""},
      {R"({"type": "string", "enum": ["a", 1]})", "1 is not of \"type\" \"string\""},
      {R"({"type": "string", "format": "colour"})", "\"format\" \"colour\""},
      {R"({"type": "object", "properties": {}, "required": ["a"]})", "\"a\" is required"},
      {R"({"type": "number", "multipleOf": 3})", "multipleOf"},
      {R"({"anyOf": []})", "expected a list of schemas"},
      {R"({"type": "string", "pattern": "^\"$"})", "a quote or a backslash"},
      {R"({"type": "string", "pattern": "a\\x5Cb"})", "a quote or a backslash"},
      {R"({"patternProperties": {"\\\\": true}, "type": "object"})", "a quote or a backslash"},
      {R"({"type": "object", "patternProperties": {"a": true}, "properties": {"b": true}})",
       "\"properties\" beside \"patternProperties\""},
      {R"({"type": "object", "propertyNames": {"maxLength": 3, "type": "string"}, "properties": {"b": true}})",
       "\"propertyNames\" beside"},
      {std::string(100, '[') + std::string(100, ']'), "nested deeper"},
      {"\"" + std::string(300'000, 'a') + "\"", "bytes, expected at most"},
  };
  for (const auto& [schema, message] : cases)
    test::expect_input_error(
        [&, text = schema] {
          options(0, {Kind::kJsonSchema, text});
        },
        message);
}

TEST_F(AnswerFormats, OfASessionAreThoseOfItsTexts) {
  const auto plain = methods::new_method("ar");
  Session session({.target = {.model = calibrated_.target().options().model},
                   .generation = {.max_new = 160},
                   .format = schema_,
                   .method = *plain});
  inference::Generation generation(session.target(), session.generation(), 400, nullptr);
  expect_of_schema(
      generation.generate({"p", ""}, inference::Dialogue(session.target()).ask("abc")).text);
}

TEST(AnswerFormatsWithoutGrammars, AreRefusedWithTheCure) {
  if (grammar::has_grammars()) GTEST_SKIP() << "built with grammars";
  test::CalibratedTarget calibrated;
  grammar::Grammars grammars(calibrated.target().tokenizer(), {}, 10);
  EXPECT_FALSE(grammars.compile({}));
  test::expect_input_error([&] { grammars.compile({.kind = Kind::kJsonObject}); },
                           "-DOUTRIDER_GRAMMAR=ON");
}

}  // namespace
}  // namespace outrider::session
