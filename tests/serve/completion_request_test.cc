#include "runtime/serve/completion_request.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "runtime/serve/api_error.h"
#include "runtime/serve/json_body.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

RequestRules rules() {
  RequestRules rules;
  rules.vocab = 100;
  rules.speculation.names = methods::names_of(methods::all_methods());
  rules.speculation.new_method = [](const std::string& name) { return methods::new_method(name); };
  return rules;
}

json chat(const json& more = json::object()) {
  json body = {{"messages", {{{"role", "user"}, {"content", "hello"}}}}};
  body.update(more);
  return body;
}

/// The error that a body is refused with.
ApiError refusal(const json& body, bool is_chat = true) {
  try {
    is_chat ? parse_chat(body, rules()) : parse_completion(body, rules());
  } catch (const ApiError& error) {
    return error;
  }
  ADD_FAILURE() << "not refused: " << body;
  return {0, ""};
}

TEST(CompletionRequest, WithoutFieldsIsAsOpenAiHasIt) {
  const CompletionRequest request = parse_chat(chat(), rules());
  EXPECT_EQ(request.sampler.temperature, 1);
  EXPECT_EQ(request.sampler.top_p, 1);
  EXPECT_EQ(request.sampler.presence_penalty, 0);
  EXPECT_FALSE(request.has_seed);
  EXPECT_EQ(request.samples, 1);
  EXPECT_FALSE(request.max_new);
  EXPECT_FALSE(request.streams);
  EXPECT_FALSE(request.top);
  EXPECT_EQ(request.turn, 1);
  EXPECT_EQ(request.speculation.method, nullptr);
  EXPECT_EQ(parse_completion({{"prompt", "a"}}, rules()).max_new, 16);
}

TEST(CompletionRequest, ReadsEveryFieldOfTheSampler) {
  const CompletionRequest request = parse_chat(chat({{"temperature", 0.5},
                                                     {"top_p", 0.9},
                                                     {"top_k", 7},
                                                     {"min_p", 0.1},
                                                     {"presence_penalty", 0.2},
                                                     {"frequency_penalty", 0.3},
                                                     {"repetition_penalty", 1.1},
                                                     {"logit_bias", {{"5", -100}, {"6", 1.5}}},
                                                     {"seed", 9},
                                                     {"stop", {"a", "b"}},
                                                     {"n", 3},
                                                     {"max_completion_tokens", 12},
                                                     {"logprobs", true},
                                                     {"top_logprobs", 4}}),
                                               rules());
  EXPECT_EQ(request.sampler.temperature, 0.5);
  EXPECT_EQ(request.sampler.top_p, 0.9);
  EXPECT_EQ(request.sampler.top_k, 7);
  EXPECT_EQ(request.sampler.min_p, 0.1);
  EXPECT_EQ(request.sampler.presence_penalty, 0.2);
  EXPECT_EQ(request.sampler.frequency_penalty, 0.3);
  EXPECT_EQ(request.sampler.repetition_penalty, 1.1);
  EXPECT_EQ(request.sampler.logit_bias,
            (std::vector<std::pair<Token, double>>{{5, -100.0}, {6, 1.5}}));
  EXPECT_EQ(request.sampler.seed, 9u);
  EXPECT_TRUE(request.has_seed);
  EXPECT_EQ(request.stops, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.samples, 3);
  EXPECT_EQ(request.max_new, 12);
  EXPECT_EQ(request.top, 4);
}

TEST(CompletionRequest, NullIsAbsentAndUnknownFieldsAreNamed) {
  json body = chat({{"temperature", nullptr}, {"tools", nullptr}, {"made_up", 1}, {"user", "u"}});
  body["stop"] = nullptr;
  const CompletionRequest request = parse_chat(body, rules());
  EXPECT_EQ(request.sampler.temperature, 1);
  EXPECT_EQ(request.unknown, std::vector<std::string>{"made_up"});
  const json within = chat({{"stream_options", {{"include_usage", true}, {"other", 1}}},
                            {"outrider", {{"tokens", true}, {"timings", true}}},
                            {"store", false},
                            {"metadata", {{"a", "b"}}},
                            {"service_tier", "auto"},
                            {"parallel_tool_calls", true}});
  EXPECT_EQ(parse_chat(within, rules()).unknown,
            (std::vector<std::string>{"stream_options.other", "outrider.timings"}));
}

TEST(CompletionRequest, AFieldOfAnotherTypeOrOutOfRangeIsNamed) {
  const std::vector<std::pair<json, std::string>> wrong = {
      {{{"temperature", "hot"}}, "temperature"},
      {{{"temperature", -0.1}}, "temperature"},
      {{{"store", 1}}, "store"},
      {{{"metadata", "a"}}, "metadata"},
      {{{"service_tier", 1}}, "service_tier"},
      {{{"parallel_tool_calls", "no"}}, "parallel_tool_calls"},
      {{{"temperature", 101}}, "temperature"},
      {{{"top_p", 1.5}}, "top_p"},
      {{{"min_p", json::array()}}, "min_p"},
      {{{"top_k", 1.5}}, "top_k"},
      {{{"seed", "1"}}, "seed"},
      {{{"seed", 1e30}}, "seed"},
      {{{"n", 0}}, "n"},
      {{{"n", 17}}, "n"},
      {{{"max_tokens", 0}}, "max_tokens"},
      {{{"max_completion_tokens", true}}, "max_completion_tokens"},
      {{{"stop", 5}}, "stop"},
      {{{"stop", {""}}}, "stop"},
      {{{"stop", std::vector<std::string>(17, "a")}}, "stop"},
      {{{"logit_bias", {{"100", 1}}}}, "logit_bias"},
      {{{"logit_bias", {{"x", 1}}}}, "logit_bias"},
      {{{"logit_bias", {{"1", "x"}}}}, "logit_bias"},
      {{{"logit_bias", {{"1", 1}, {"01", 2}}}}, "logit_bias"},
      {{{"logprobs", 3}}, "logprobs"},
      {{{"top_logprobs", 2}}, "top_logprobs"},
      {{{"logprobs", true}, {"top_logprobs", 21}}, "top_logprobs"},
      {{{"stream", "yes"}}, "stream"},
      {{{"stream_options", true}}, "stream_options"},
      {{{"stream_options", {{"include_usage", 1}}}}, "include_usage"},
      {{{"prediction", "text"}}, "prediction"},
      {{{"prediction", {{"type", "other"}, {"content", "a"}}}}, "prediction"},
      {{{"model", 5}}, "model"},
      {{{"messages", "hello"}}, "messages"},
      {{{"messages", json::array()}}, "messages"},
      {{{"messages", {{{"role", "system"}, {"content", "a"}}}}}, "messages"},
      {{{"messages", {{{"role", "robot"}, {"content", "a"}}}}}, "messages[0].role"},
      {{{"messages", {{{"role", "user"}}}}}, "messages[0].content"},
      {{{"messages", {{{"role", "user"}, {"content", {{{"type", "image_url"}}}}}}}},
       "messages[0].content[0]"},
      {{{"outrider", 1}}, "outrider"},
      {{{"speculation", 5}}, "speculation"},
  };
  for (const auto& [more, field] : wrong) {
    const ApiError error = refusal(chat(more));
    EXPECT_EQ(error.status, 400) << more;
    EXPECT_EQ(error.parameter, field) << more;
    EXPECT_NE(error.message.find(field), std::string::npos) << error.message;
  }
}

TEST(CompletionRequest, WhatIsNotSupportedIsRefusedUnlessItAsksForNothing) {
  for (const json& more :
       {json{{"tools", {{{"type", "function"}}}}}, json{{"functions", {1}}},
        json{{"tool_choice", "required"}},
        json{{"messages", {{{"role", "tool"}, {"content", "a"}}}}}, json{{"best_of", 2}},
        json{{"guided_json", json::object()}},
        json{{"messages", {{{"role", "assistant"}, {"tool_calls", {{{"id", "x"}}}}}}}}}) {
    const ApiError error = refusal(chat(more));
    EXPECT_EQ(error.code, "unsupported") << more;
    EXPECT_EQ(error.status, 400);
  }
  for (const json& more :
       {json{{"tools", json::array()}}, json{{"response_format", {{"type", "text"}}}},
        json{{"tool_choice", "none"}}, json{{"n", 2}, {"best_of", 2}}})
    EXPECT_NO_THROW(parse_chat(chat(more), rules())) << more;
  EXPECT_EQ(refusal({{"prompt", "a"}, {"suffix", "b"}}, false).parameter, "suffix");
}

TEST(CompletionRequest, FormatsAreReadWhereverTheirSchemaStands) {
  using Kind = grammar::AnswerFormat::Kind;
  const json schema = {{"type", "object"}};
  const auto of = [](const json& format) {
    return parse_chat(chat({{"response_format", format}}), rules());
  };
  EXPECT_EQ(of({{"type", "text"}}).format.kind, Kind::kText);
  EXPECT_EQ(of(nullptr).format.kind, Kind::kText);
  EXPECT_EQ(of({{"type", "json_object"}}).format.kind, Kind::kJsonObject);
  for (const auto& [format, place] : std::vector<std::pair<json, std::string>>{
           {{{"type", "json_schema"},
             {"json_schema", {{"name", "a"}, {"strict", true}, {"schema", schema}}}},
            "/response_format/json_schema/schema"},
           {{{"type", "json_schema"}, {"schema", schema}}, "/response_format/schema"},
           {{{"type", "json_object"}, {"schema", schema}}, "/response_format/schema"}}) {
    const CompletionRequest request = of(format);
    EXPECT_EQ(request.format.kind, Kind::kJsonSchema) << format;
    EXPECT_EQ(request.schema_place, place);
    const std::string body = json{{"response_format", format}}.dump();
    EXPECT_EQ(text_at(body, request.schema_place), schema.dump());
  }
  for (const auto& [format, field] : std::vector<std::pair<json, std::string>>{
           {"json_object", "response_format"},
           {json::object(), "response_format.type"},
           {{{"type", "regex"}}, "response_format.type"},
           {{{"type", "json_schema"}}, "response_format.json_schema"},
           {{{"type", "json_schema"}, {"json_schema", json::object()}},
            "response_format.json_schema.schema"},
           {{{"type", "json_schema"}, {"json_schema", {{"schema", "x"}}}},
            "response_format.json_schema.schema"},
           {{{"type", "json_object"}, {"schema", 1}}, "response_format.schema"}}) {
    const ApiError error = refusal(chat({{"response_format", format}}));
    EXPECT_EQ(error.parameter, field) << format;
    EXPECT_EQ(error.status, 400);
  }
  EXPECT_EQ(text_at(R"({"a": {"z": 1, "b": [2.50, "é"]}})", "/a"), R"({"z":1,"b":[2.5,"é"]})");
}

TEST(CompletionRequest, MessagesKeepTheirPartsAndTheSystemIsApart) {
  const json body = {
      {"messages",
       {{{"role", "system"}, {"content", "be brief"}},
        {{"role", "developer"}, {"content", "be kind"}},
        {{"role", "user"},
         {"content", {{{"type", "text"}, {"text", "one"}}, {{"type", "text"}, {"text", "two"}}}}},
        {{"role", "assistant"}, {"content", "yes"}},
        {{"role", "user"}, {"content", "three"}}}}};
  const CompletionRequest request = parse_chat(body, rules());
  EXPECT_EQ(request.conversation.system, "be brief\n\nbe kind");
  ASSERT_EQ(request.conversation.messages.size(), 3u);
  EXPECT_EQ(request.conversation.messages[0].content, "one\ntwo");
  EXPECT_EQ(request.conversation.messages[1].role, "assistant");
  EXPECT_EQ(request.turn, 2) << "the second answer";
  EXPECT_FALSE(parse_chat(chat(), rules()).conversation.system);
}

TEST(CompletionRequest, PromptsAreTextsOrTokensOrListsOfThem) {
  const auto prompts = [](const json& prompt) {
    return parse_completion({{"prompt", prompt}}, rules()).prompts;
  };
  EXPECT_EQ(prompts("a"), std::vector<GivenPrompt>{"a"});
  EXPECT_EQ(prompts({"a", "b"}), (std::vector<GivenPrompt>{"a", "b"}));
  EXPECT_EQ(prompts({1, 2}), std::vector<GivenPrompt>{(std::vector<Token>{1, 2})});
  EXPECT_EQ(prompts({{1, 2}, {3}}),
            (std::vector<GivenPrompt>{std::vector<Token>{1, 2}, std::vector<Token>{3}}));
  for (const json& prompt : {json(5), json::array(), json{100}, json{-1}, json{{1, "a"}},
                             json{"a", 1}, json{1, "a"}, json{1.5}, json::object()})
    EXPECT_EQ(refusal({{"prompt", prompt}}, false).parameter, "prompt") << prompt;
  EXPECT_EQ(refusal(json::object(), false).code, "missing_required_parameter");
  const json many = {{"prompt", std::vector<std::string>(17, "a")}, {"n", 16}};
  EXPECT_NE(refusal(many, false).message.find("at most 256"), std::string::npos);
}

TEST(CompletionRequest, AnEmptyTextIsOnlyForItsPromptsScores) {
  EXPECT_EQ(refusal({{"prompt", "a"}, {"max_tokens", 0}}, false).parameter, "max_tokens");
  const json body = {{"prompt", "a"}, {"max_tokens", 0}, {"echo", true}, {"logprobs", 0}};
  EXPECT_EQ(parse_completion(body, rules()).top, 0);
}

TEST(JsonBody, IsAnObjectOfLimitedDepth) {
  EXPECT_EQ(parse_body("{\"a\": [1]}")["a"][0], 1);
  const std::string deep = "{\"a\":" + std::string(70, '[') + std::string(70, ']') + "}";
  const std::string deepest(5'000'000, '[');
  for (const std::string& body : {std::string(), std::string("{"), std::string("[1]"),
                                  std::string("5"), std::string("{\"a\": \"\xff\"}"), deep, deepest,
                                  std::string("{\"a\": 1e999}"), std::string("{} {}")}) {
    try {
      parse_body(body);
      ADD_FAILURE() << body.substr(0, 50);
    } catch (const ApiError& error) {
      EXPECT_EQ(error.status, 400);
      EXPECT_EQ(error.message.rfind("the body ", 0), 0u) << error.message;
    }
  }
}

}  // namespace
}  // namespace outrider::serve
