#pragma once

#include <map>
#include <vector>

#include "runtime/engine/forward_text.h"
#include "runtime/sampling/token_choice.h"

namespace outrider::test {

/// The probability of every text of so many tokens after a text.
class Texts {
 public:
  Texts(engine::Engine& engine, const sampling::SamplerOptions& options)
      : engine_(engine), options_(options) {}

  std::map<std::vector<Token>, double> after(const std::vector<Token>& prompt, int length) {
    prompt_ = prompt;
    std::vector<Token> text;
    walk(text, length, 1);
    return probabilities_;
  }

 private:
  void walk(std::vector<Token>& text, int length, double probability) {
    if (length == 0) {
      probabilities_[text] = probability;
      return;
    }
    std::vector<Token> all = prompt_;
    sampling::TokenCounts counts(prompt_);
    for (const Token token : text) {
      all.push_back(token);
      counts.add(token);
    }
    sampling::Distribution next;
    engine::forward_text(engine_, all, {.logits_from = static_cast<int>(all.size()) - 1},
                         [&](const engine::Pass& pass, int) {
                           sampling::TokenChoice(engine_.config().vocab)
                               .distribute({options_, 0, counts}, pass.row_logits(0), next);
                         });
    for (std::size_t i = 0; i < next.tokens.size(); ++i) {
      text.push_back(next.tokens[i]);
      walk(text, length - 1, probability * next.probabilities[i]);
      text.pop_back();
    }
  }

  engine::Engine& engine_;
  sampling::SamplerOptions options_;
  std::vector<Token> prompt_;
  std::map<std::vector<Token>, double> probabilities_;
};

}  // namespace outrider::test
