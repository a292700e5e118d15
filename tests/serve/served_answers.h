#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/serve/serving.h"

namespace outrider::serve {

/// A server with a tiny model, and what is read of its answers.
class AnswersTest : public testing::Test {
 protected:
  /// The tokens and the text of a chat's first choice.
  static std::vector<Token> tokens_of(const nlohmann::json& answer, std::size_t choice = 0) {
    std::vector<Token> tokens;
    for (const nlohmann::json& one : answer["outrider"]["texts"][choice]["tokens"])
      tokens.push_back(one["id"]);
    return tokens;
  }
  /// What a stream says: text, tokens, and the parts that tests look at.
  struct Streamed {
    std::string text;
    std::vector<Token> tokens;
    std::vector<nlohmann::json> events;
    bool is_done = false;
  };
  static Streamed streamed(const test::Received& received) {
    Streamed all;
    for (const std::string& event : received.events()) {
      EXPECT_FALSE(all.is_done) << "after [DONE]";
      if (event == "[DONE]") {
        all.is_done = true;
        continue;
      }
      const nlohmann::json one = nlohmann::json::parse(event);
      all.events.push_back(one);
      if (one["choices"].empty()) continue;
      const nlohmann::json& choice = one["choices"][0];
      all.text += choice.contains("delta") ? choice["delta"].value("content", "")
                                           : choice.value("text", "");
      if (one.contains("outrider") && one["outrider"].contains("tokens"))
        for (const nlohmann::json& token : one["outrider"]["tokens"])
          all.tokens.push_back(token["id"]);
    }
    return all;
  }
  static inference::GenerationOptions options(double temperature, std::uint64_t seed) {
    inference::GenerationOptions options = {.max_new = 24};
    options.sampler.temperature = temperature;
    options.sampler.seed = seed;
    return options;
  }

  test::Serving serving_;
  nlohmann::json asking_ = {{"max_tokens", 24}, {"outrider", {{"tokens", true}}}};
};

}  // namespace outrider::serve
