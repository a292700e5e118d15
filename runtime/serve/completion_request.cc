#include "runtime/serve/completion_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/json_number.h"
#include "runtime/base/numbers.h"
#include "runtime/serve/api_error.h"
#include "runtime/tokenizer/stop_strings.h"

namespace outrider::serve {
namespace {

using nlohmann::json;

constexpr int kMostNewTokens = 1 << 24;

[[noreturn]] void fail_missing(const char* name, const char* expected) {
  throw ApiError(400, fmt::format("{}: missing, expected {}", name, expected), name,
                 "missing_required_parameter");
}

/// Text, or a list of parts of which each is a text.
std::string content_of(const json& content, const std::string& where) {
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) RequestFields::fail(where, "a text, or a list of parts", content);
  std::string text;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const json& part = content[i];
    const std::string here = fmt::format("{}[{}]", where, i);
    if (!part.is_object()) RequestFields::fail(here, "an object", part);
    RequestFields fields(part);
    const auto type = fields.text("type");
    if (!type || (*type != "text" && *type != "input_text"))
      throw ApiError(400, fmt::format("{}: only parts of type \"text\" are supported", here), here,
                     "unsupported");
    const json* words = fields.find("text");
    if (words == nullptr || !words->is_string())
      throw ApiError(400, fmt::format("{}.text: expected a text", here), here);
    if (i > 0) text += '\n';
    text += words->get<std::string>();
  }
  return text;
}

text::Message message_of(const json& one, const std::string& where) {
  if (!one.is_object()) RequestFields::fail(where, "an object", one);
  RequestFields fields(one);
  const json* role = fields.find("role");
  static const std::vector<std::string> roles = {"system", "developer", "user", "assistant"};
  if (role == nullptr || !role->is_string() ||
      std::find(roles.begin(), roles.end(), role->get<std::string>()) == roles.end()) {
    const bool is_tool = role != nullptr && (*role == "tool" || *role == "function");
    throw ApiError(
        400,
        is_tool ? fmt::format("{}.role: tools are not supported by this server", where)
                : fmt::format("{}.role: expected system, developer, user or assistant", where),
        fmt::format("{}.role", where), is_tool ? "unsupported" : "");
  }
  for (const char* name : {"tool_calls", "function_call"})
    if (const json* calls = fields.find(name); calls != nullptr && !calls->empty())
      throw ApiError(400, fmt::format("{}.{}: tools are not supported by this server", where, name),
                     fmt::format("{}.{}", where, name), "unsupported");
  text::Message message{role->get<std::string>(), ""};
  if (message.role == "developer") message.role = "system";
  const std::string of_content = where + ".content";
  if (const json* content = fields.find("content"))
    message.content = content_of(*content, of_content);
  else if (message.role != "assistant")
    throw ApiError(400, fmt::format("{}: missing, expected a text", of_content), of_content,
                   "missing_required_parameter");
  return message;
}

void read_sampler(RequestFields& fields, const RequestRules& rules, CompletionRequest& request) {
  sampling::SamplerOptions& sampler = request.sampler;
  sampler = rules.sampler;
  const auto read = [&](const char* name, double low, double high, double& value) {
    if (const auto given = fields.real(name, low, high)) value = *given;
  };
  read("temperature", 0, 100, sampler.temperature);
  read("top_p", 0, 1, sampler.top_p);
  read("min_p", 0, 1, sampler.min_p);
  read("presence_penalty", -100, 100, sampler.presence_penalty);
  read("frequency_penalty", -100, 100, sampler.frequency_penalty);
  read("repeat_penalty", 0.01, 100, sampler.repetition_penalty);
  read("repetition_penalty", 0.01, 100, sampler.repetition_penalty);
  // -1 is what other servers call all.
  if (const auto top_k = fields.whole("top_k", -1, INT32_MAX))
    sampler.top_k = static_cast<int>(std::max<std::int64_t>(*top_k, 0));
  request.has_seed = rules.has_seed;
  if (const auto seed = fields.whole("seed", INT64_MIN, INT64_MAX); seed && *seed != -1) {
    sampler.seed = static_cast<std::uint64_t>(*seed);
    request.has_seed = true;
  }
  const json* biases = fields.find("logit_bias");
  if (biases == nullptr) return;
  if (!biases->is_object())
    RequestFields::fail("logit_bias", "an object of token ids and numbers", *biases);
  for (const auto& [id, bias] : biases->items()) {
    const auto token = parse_integer(id);
    const double number = bias.is_number() ? bias.get<double>() : NAN;
    if (!token || *token < 0 || *token >= rules.vocab || !(std::abs(number) <= 1e6))
      throw ApiError(
          400,
          fmt::format("logit_bias: expected token ids from 0 to {} and numbers, found \"{:.40}\"",
                      rules.vocab - 1, id),
          "logit_bias");
    const auto same = [&](const auto& one) { return one.first == *token; };
    if (std::any_of(sampler.logit_bias.begin(), sampler.logit_bias.end(), same))
      throw ApiError(400, fmt::format("logit_bias: token {} is given twice", *token), "logit_bias");
    sampler.logit_bias.emplace_back(static_cast<Token>(*token), number);
  }
}

std::vector<std::string> stops_of(RequestFields& fields) {
  const json* given = fields.find("stop");
  std::vector<std::string> stops;
  if (given == nullptr) return stops;
  if (given->is_string()) {
    stops.push_back(given->get<std::string>());
  } else if (given->is_array() && given->size() <= kMostStops &&
             std::all_of(given->begin(), given->end(),
                         [](const json& one) { return one.is_string(); })) {
    stops = given->get<std::vector<std::string>>();
  } else {
    RequestFields::fail("stop", fmt::format("a text, or a list of at most {}", kMostStops), *given);
  }
  try {
    (void)text::StopStrings(stops);
  } catch (const InputError&) {
    RequestFields::fail("stop", "texts that are not empty", *given);
  }
  return stops;
}

/// What the text may repeat: {"type": "content", "content": text or parts}.
std::optional<std::string> prediction_of(RequestFields& fields) {
  const json* given = fields.find("prediction");
  if (given == nullptr) return std::nullopt;
  const auto type = given->is_object() ? given->find("type") : given->end();
  const auto content = given->is_object() ? given->find("content") : given->end();
  if (!given->is_object() || type == given->end() || *type != "content" || content == given->end())
    RequestFields::fail("prediction", "{\"type\": \"content\", \"content\": …}", *given);
  return content_of(*content, "prediction.content");
}

/// Notes fields that are ignored. @param of  what they are fields of
void add_unknown(const RequestFields& fields, const char* of, CompletionRequest& request) {
  for (const std::string& name : fields.unknown()) request.unknown.push_back(of + name);
}

void read_stream(RequestFields& fields, CompletionRequest& request) {
  request.streams = fields.flag("stream").value_or(false);
  const json* options = fields.find("stream_options");
  if (options == nullptr) return;
  if (!options->is_object()) RequestFields::fail("stream_options", "an object", *options);
  RequestFields of_stream(*options);
  request.includes_usage = of_stream.flag("include_usage").value_or(false);
  add_unknown(of_stream, "stream_options.", request);
}

void read_ours(RequestFields& fields, CompletionRequest& request) {
  const json* ours = fields.find("outrider");
  if (ours == nullptr) return;
  if (!ours->is_object()) RequestFields::fail("outrider", "an object", *ours);
  RequestFields of_ours(*ours);
  request.wants_tokens = of_ours.flag("tokens").value_or(false);
  add_unknown(of_ours, "outrider.", request);
}

/// {"type": "text"}, {"type": "json_object"}, {"type": "json_schema", "json_schema": {"schema": …}}; also with the schema
/// beside the type, as other servers take it.
void read_format(RequestFields& fields, CompletionRequest& request) {
  using Kind = grammar::AnswerFormat::Kind;
  const json* given = fields.find("response_format");
  if (given == nullptr) return;
  const auto refuse = [&](const std::string& where, const std::string& expected,
                          const json& found) { RequestFields::fail(where, expected, found); };
  if (!given->is_object()) refuse("response_format", "an object", *given);
  RequestFields format(*given);
  const json* type = format.find("type");
  static const std::vector<std::string> types = {"text", "json_object", "json_schema"};
  if (type == nullptr || !type->is_string() ||
      std::find(types.begin(), types.end(), type->get<std::string>()) == types.end())
    refuse("response_format.type", "text, json_object or json_schema",
           type == nullptr ? json() : *type);
  if (*type == "text") return;
  request.format.kind = Kind::kJsonObject;
  const json* schema = format.find("schema");
  request.schema_place = schema == nullptr ? "" : "/response_format/schema";
  if (*type == "json_schema" && schema == nullptr) {
    const std::string where = "response_format.json_schema";
    const json* named = format.find("json_schema");
    if (named == nullptr || !named->is_object())
      refuse(where, "an object with a schema", named == nullptr ? json() : *named);
    RequestFields of_named(*named);
    (void)of_named.flag("strict");  // it is always kept to
    (void)of_named.text("name");
    (void)of_named.text("description");
    schema = of_named.find("schema");
    add_unknown(of_named, "response_format.json_schema.", request);
    request.schema_place = "/response_format/json_schema/schema";
  }
  if (schema == nullptr && *type == "json_object") return;
  if (schema == nullptr || !schema->is_object())
    refuse(request.schema_place == "/response_format/schema" ? "response_format.schema"
                                                             : "response_format.json_schema.schema",
           "an object", schema == nullptr ? json() : *schema);
  request.format.kind = Kind::kJsonSchema;
  add_unknown(format, "response_format.", request);
}

/// What chats and completions have in common, but for log-probabilities.
void read_shared(RequestFields& fields, const RequestRules& rules, CompletionRequest& request) {
  request.model = fields.text("model").value_or("");
  request.samples = static_cast<int>(fields.whole("n", 1, kMostSamples).value_or(1));
  if (const auto best = fields.whole("best_of", 1, kMostSamples); best && *best != request.samples)
    throw ApiError(400, "best_of: not supported by this server, but for n itself", "best_of",
                   "unsupported");
  read_sampler(fields, rules, request);
  request.stops = stops_of(fields);
  read_stream(fields, request);
  request.prediction = prediction_of(fields);
  request.speculation = parse_speculation(fields, rules.speculation, request.sampler.temperature);
  if (request.prediction && request.speculation.method &&
      request.speculation.method->capabilities().changes_text)
    throw ApiError(400, "prediction: not with verify \"rejection\"", "prediction", "unsupported");
  read_ours(fields, request);
  read_format(fields, request);
  fields.refuse("grammar");
  fields.refuse("json_schema");
  fields.refuse("guided_json");
  fields.refuse("guided_regex");
  fields.refuse("guided_choice");
  fields.refuse("guided_grammar");
  fields.refuse("structured_outputs");
  (void)fields.text("user");
}

std::vector<GivenPrompt> prompts_of(RequestFields& fields, int vocab) {
  const json* given = fields.find("prompt");
  if (given == nullptr) fail_missing("prompt", "a text, tokens, or a list of either");
  std::vector<GivenPrompt> prompts;
  if (given->is_string()) {
    prompts.emplace_back(given->get<std::string>());
    return prompts;
  }
  if (!given->is_array() || given->empty())
    RequestFields::fail("prompt", "a text, tokens, or a list of either", *given);
  if (given->front().is_number()) {
    prompts.emplace_back(parse_tokens("prompt", *given, vocab));
    return prompts;
  }
  for (const json& one : *given) {
    if (one.is_string())
      prompts.emplace_back(one.get<std::string>());
    else if (one.is_array())
      prompts.emplace_back(parse_tokens("prompt", one, vocab));
    else
      RequestFields::fail("prompt", "texts, or lists of tokens", one);
  }
  return prompts;
}

}  // namespace

std::vector<Token> parse_tokens(const std::string& field, const json& list, int vocab) {
  if (!list.is_array()) RequestFields::fail(field, "a list of token ids", list);
  std::vector<Token> tokens;
  tokens.reserve(list.size());
  for (const json& one : list) {
    const auto id = whole_number(one);
    if (!id || *id < 0 || *id >= vocab)
      RequestFields::fail(field, fmt::format("token ids from 0 to {}", vocab - 1), one);
    tokens.push_back(static_cast<Token>(*id));
  }
  return tokens;
}

text::Conversation parse_messages(RequestFields& fields) {
  const json* list = fields.find("messages");
  if (list == nullptr) fail_missing("messages", "a list of messages");
  if (!list->is_array() || list->empty())
    RequestFields::fail("messages", "a list of at least one message", *list);
  text::Conversation conversation;
  for (std::size_t i = 0; i < list->size(); ++i) {
    text::Message message = message_of((*list)[i], fmt::format("messages[{}]", i));
    const bool is_first = conversation.messages.empty();
    if (message.role == "system" && is_first) {
      // Several at the beginning are one.
      if (conversation.system)
        *conversation.system += "\n\n" + message.content;
      else
        conversation.system = std::move(message.content);
    } else {
      conversation.messages.push_back(std::move(message));
    }
  }
  if (conversation.messages.empty())
    throw ApiError(400, "messages: expected a message of the user", "messages");
  return conversation;
}

CompletionRequest parse_chat(const json& body, const RequestRules& rules) {
  RequestFields fields(body);
  CompletionRequest request;
  request.is_chat = true;
  request.conversation = parse_messages(fields);
  for (const text::Message& message : request.conversation.messages)
    if (message.role == "assistant") ++request.turn;
  read_shared(fields, rules, request);
  const auto most = fields.whole("max_completion_tokens", 1, kMostNewTokens);
  const auto older = fields.whole("max_tokens", 1, kMostNewTokens);
  if (most || older) request.max_new = static_cast<int>(most ? *most : *older);
  const bool scored = fields.flag("logprobs").value_or(false);
  const auto top = fields.whole("top_logprobs", 0, kMostTop);
  if (top && *top > 0 && !scored)
    throw ApiError(400, "top_logprobs: only with logprobs true", "top_logprobs");
  if (scored) request.top = static_cast<int>(top.value_or(0));
  fields.refuse("tools", {json::array()});
  fields.refuse("functions", {json::array()});
  fields.refuse("tool_choice", {"none", "auto"});
  fields.refuse("function_call", {"none", "auto"});
  fields.refuse("modalities", {json::array({"text"})});
  fields.refuse("audio");
  fields.refuse("web_search_options");
  (void)fields.flag("parallel_tool_calls");
  (void)fields.flag("store");
  (void)fields.text("service_tier");
  if (const json* metadata = fields.find("metadata"); metadata != nullptr && !metadata->is_object())
    RequestFields::fail("metadata", "an object", *metadata);
  add_unknown(fields, "", request);
  return request;
}

CompletionRequest parse_completion(const json& body, const RequestRules& rules) {
  constexpr int kMaxNewOfOpenAi = 16;  // what its clients expect where they say nothing
  constexpr int kMostTopOfCompletions = 20;
  RequestFields fields(body);
  CompletionRequest request;
  request.prompts = prompts_of(fields, rules.vocab);
  read_shared(fields, rules, request);
  request.max_new =
      static_cast<int>(fields.whole("max_tokens", 0, kMostNewTokens).value_or(kMaxNewOfOpenAi));
  const json* logprobs = fields.find("logprobs");
  if (logprobs != nullptr && logprobs->is_boolean()) {
    if (logprobs->get<bool>()) request.top = 1;
  } else if (const auto top = fields.whole("logprobs", 0, kMostTopOfCompletions)) {
    request.top = static_cast<int>(*top);
  }
  request.echo = fields.flag("echo").value_or(false);
  if (request.max_new == 0 && !request.echo)
    throw ApiError(400, "max_tokens: expected at least 1 without echo", "max_tokens");
  if (request.prompts.size() * static_cast<std::size_t>(request.samples) > kMostTexts)
    throw ApiError(400, fmt::format("prompt: expected at most {} texts of a request", kMostTexts),
                   "prompt");
  fields.refuse("suffix", {""});
  add_unknown(fields, "", request);
  return request;
}

}  // namespace outrider::serve
