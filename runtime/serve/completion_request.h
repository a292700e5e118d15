#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/chat/chat.h"
#include "runtime/grammar/answer_format.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/serve/speculation.h"

namespace outrider::serve {

/// A prompt as a text or as tokens.
using GivenPrompt = std::variant<std::string, std::vector<Token>>;

/// What POST /v1/chat/completions or /v1/completions asks for.
struct CompletionRequest {
  bool is_chat = false;
  std::string model;                     // empty: whatever is there
  text::Conversation conversation = {};  // of a chat
  int turn = 1;                          // of a chat: which answer of the conversation it asks for
  std::vector<GivenPrompt> prompts;      // otherwise; at least one

  int samples = 1;                 // texts of each prompt
  std::optional<int> max_new;      // tokens of a text
  std::vector<std::string> stops;  // a text ends before the first of these
  sampling::SamplerOptions sampler;
  bool has_seed = false;  // else one is to be drawn
  std::optional<int>
      top;  // log-probabilities of each token and of so many likeliest ones; nothing: none
  bool echo = false;  // the prompt before the text

  bool streams = false;
  bool includes_usage = false;  // a last frame of figures

  /// What the text has to be; the schema itself is at `schema_place` of the body, a JSON pointer.
  grammar::AnswerFormat format = {};
  std::string schema_place = {};

  std::optional<std::string> prediction;  // what the text may repeat
  Speculation speculation;
  bool wants_tokens = false;  // ids of the tokens, and which drafter gave each

  std::vector<std::string> unknown;  // fields that were ignored
};

/// What a request that says nothing gets, and what it may ask for.
struct RequestRules {
  sampling::SamplerOptions sampler = {.temperature = 1};
  bool has_seed = false;  // the sampler's seed is that of requests without one
  int vocab = 0;
  SpeculationRules speculation;
};

inline constexpr int kMostSamples = 16;
inline constexpr int kMostStops = 16;
inline constexpr int kMostTop = 20;
/// Texts that one request may ask for.
inline constexpr int kMostTexts = 256;

/// Reads a body of POST /v1/chat/completions.
/// @throws ApiError (400) naming the first field that is missing, of another type, out of range or not supported
CompletionRequest parse_chat(const nlohmann::json& body, const RequestRules& rules);

/// Reads a body of POST /v1/completions.
/// @throws ApiError as above
CompletionRequest parse_completion(const nlohmann::json& body, const RequestRules& rules);

/// A list of token ids.
/// @param field  for messages
/// @throws ApiError as above
std::vector<Token> parse_tokens(const std::string& field, const nlohmann::json& list, int vocab);

/// The conversation under "messages", with what it says to the system first.
/// @throws ApiError as above
text::Conversation parse_messages(RequestFields& fields);

}  // namespace outrider::serve
