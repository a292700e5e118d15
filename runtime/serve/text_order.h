#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/method.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {

/// The texts to generate after one prompt: they differ by their noise.
struct TextOrder {
  std::vector<Token> prompt;
  inference::GenerationOptions options = {};
  int turn = 1;  // of the conversation, names the noise with the sample's number
  int samples = 1;
  std::shared_ptr<methods::Method> method;
  std::optional<std::vector<Token>> prediction = {};  // what the text may repeat
  std::optional<int> top = {};  // log-probabilities of each token and of so many likeliest ones
  bool scores_prompt = false;   // those of the prompt's tokens too; only with `top`
  bool check = false;           // decode plainly too, and compare
};

/// A token and how likely it was.
struct ScoredToken {
  Token token = 0;
  /// At temperature 1, before penalties and filters; nothing of a prompt's first, which follows nothing.
  std::optional<float> log_prob = {};
  sampling::RowScores best = {};  // the likeliest tokens in its place
};

/// What a pass added to a text.
struct TextPiece {
  std::string text;  // whole characters
  std::vector<Token> tokens;
  std::vector<std::string> drafters;  // [tokens] who drafted each; empty: the target's own
  std::vector<ScoredToken> scores;    // [tokens], if asked for
};

/// A text that has ended.
struct FinishedText {
  inference::GeneratedText text;
  std::string method;
  std::shared_ptr<const nlohmann::ordered_json> settings;  // of the method, as they were used
  double waited_seconds = 0;                               // before its prompt was read
  double texts_per_pass = 1;                               // mean, itself counted
  std::optional<double> plain_seconds =
      {};  // its part of plain decoding of as many texts, by this machine's costs
  std::optional<std::string> difference = {};  // from plain decoding, where that was checked
  bool is_checked = false;
};

/// Is told of the texts of some orders, by the scheduler's thread. Orders are numbered as they were submitted, samples
/// from 0.
class TextListener {
 public:
  virtual ~TextListener() = default;

  /// The prompt's tokens, if their scores were asked for.
  virtual void on_prompt_scores(int order, std::vector<ScoredToken> scores) = 0;
  virtual void on_piece(int order, int sample, TextPiece piece) = 0;
  virtual void on_finished(int order, int sample, FinishedText text) = 0;
  /// All texts of all orders have ended. No further call follows.
  virtual void on_done() = 0;
  /// In its place. No further call follows.
  virtual void on_failed(const ApiError& error) = 0;

  /// Whether nobody wants the texts any more.
  virtual bool is_abandoned() const = 0;
};

}  // namespace outrider::serve
