#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/decode/batch.h"
#include "runtime/inference/target.h"
#include "runtime/inference/text_stream.h"
#include "runtime/methods/prepared_method.h"
#include "runtime/serve/server_metrics.h"
#include "runtime/serve/text_order.h"
#include "runtime/serve/token_scorer.h"

namespace outrider::serve {

/// A request that is answered.
struct ServedRequest {
  std::vector<TextOrder> orders;
  std::shared_ptr<TextListener> listener;
  std::chrono::steady_clock::time_point submitted;
  int unfinished = 0;                                 // texts, and prompts to score
  int unscored = 0;                                   // of these prompts
  bool is_over = false;                               // answered, or nobody waits for it
  std::vector<methods::PreparedMethod> methods = {};  // [orders]
  std::vector<std::string> method_keys = {};          // [orders]
  std::int64_t needed_bytes = 0;  // of weights that did not fit when it should have begun
};

/// A sequence of the batch that is part of a request: a text, the scores of a prompt, or a text that is decoded
/// plainly too to be compared. Collects what a pass adds, and tells the request's listener after it.
class ServedText : public decode::SequenceListener {
 public:
  enum class Kind : std::uint8_t { kText, kPromptScores, kCheck };

  /// @param target, metrics  must outlive it
  ServedText(std::shared_ptr<ServedRequest> request, Kind kind, int order, int sample,
             inference::Target& target, ServerMetrics& metrics);

  ServedRequest& request() { return *request_; }
  const std::shared_ptr<ServedRequest>& shared_request() { return request_; }
  Kind kind() const { return kind_; }
  const TextOrder& order() const { return request_->orders[static_cast<std::size_t>(order_)]; }
  int order_number() const { return order_; }
  const methods::PreparedMethod& method() const {
    return request_->methods[static_cast<std::size_t>(order_)];
  }
  /// Names its method and settings.
  const std::string& method_key() const {
    return request_->method_keys[static_cast<std::size_t>(order_)];
  }
  int sample() const { return sample_; }

  /// What the batch has to decode: made once, and taken out when it joins.
  const decode::Request& for_batch();
  /// Bytes that its drafter may take.
  std::int64_t drafter_bytes() const { return drafter_bytes_; }
  void join(decode::Batch& batch);
  decode::SequenceId id() const { return id_; }

  bool take(Token token, const draft::Origin& origin, const sampling::RowScores* scores) override;
  void end(decode::DecodeResult result) override;
  void fail(const std::exception_ptr& error) override { error_ = error; }

  /// Counts a pass over so many texts, this one included, before the listener is told of it.
  void count_pass(int texts);
  /// Mean number of texts in its passes after its first token; 1 before.
  double texts_per_pass() const;
  /// Tells the listener what the last pass added.
  void tell();
  bool has_ended() const { return result_.has_value() || error_ != nullptr; }
  const std::exception_ptr& error() const { return error_; }
  int tokens() const { return tokens_; }

  /// The text that has ended. Called once.
  inference::GeneratedText result();
  std::vector<ScoredToken> prompt_scores() { return std::move(piece_.scores); }
  double waited_seconds() const { return waited_seconds_; }

  /// Of a check: what it is compared with.
  std::optional<FinishedText> compared = {};

 private:
  decode::Request new_request();

  std::shared_ptr<ServedRequest> request_;
  Kind kind_;
  int order_, sample_;
  inference::Target& target_;
  ServerMetrics& metrics_;
  inference::TextStream stream_;
  std::optional<TokenScorer> scorer_;
  std::optional<decode::Request> for_batch_;
  std::unique_ptr<draft::Drafter> drafter_;  // until it joins
  std::int64_t drafter_bytes_ = 0;
  decode::SequenceId id_ = 0;
  double waited_seconds_ = 0;
  TextPiece piece_;
  std::size_t told_ = 0;  // bytes of the text
  int tokens_ = 0, told_tokens_ = 0;
  std::int64_t passes_ = 0, texts_of_passes_ = 0;  // after its first token
  std::chrono::steady_clock::time_point last_told_;
  std::optional<decode::DecodeResult> result_;
  std::exception_ptr error_;
};

}  // namespace outrider::serve
