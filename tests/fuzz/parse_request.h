#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/methods/list.h"
#include "runtime/serve/completion_request.h"
#include "runtime/serve/json_body.h"

namespace outrider::fuzz {

inline constexpr int kVocab = 1000;

inline serve::RequestRules request_rules() {
  serve::RequestRules rules;
  rules.vocab = kVocab;
  rules.speculation.names = methods::names_of(methods::all_methods());
  rules.speculation.new_method = [](const std::string& name) { return methods::new_method(name); };
  return rules;
}

/// A body as that of a chat, or of a completion if it has a prompt.
/// @throws serve::ApiError
inline serve::CompletionRequest parse_request(std::string_view body) {
  static const serve::RequestRules rules = request_rules();
  const nlohmann::json parsed = serve::parse_body(body);
  return parsed.contains("prompt") ? serve::parse_completion(parsed, rules)
                                   : serve::parse_chat(parsed, rules);
}

}  // namespace outrider::fuzz
