#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/serve/completion_request.h"
#include "runtime/serve/http_message.h"
#include "runtime/serve/server_metrics.h"
#include "runtime/serve/text_order.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::serve {

/// What answers say of the server.
struct ServerIdentity {
  std::string model;        // the name that clients know it by
  std::string fingerprint;  // equal ones give equal bits
};

/// A prompt as it is said again before its text, with `echo`.
struct EchoedPrompt {
  std::vector<Token> tokens;
  std::string text;
};

/// Makes one answer of the texts of a request, in the objects of OpenAI's API: as a whole, or as a stream with an event
/// for each pass. Choice i * n + j is sample j of prompt i.
class CompletionAnswer : public TextListener {
 public:
  /// @param prompts  in the order of the request; their texts are needed with `echo` only
  /// @param cors     headers of the answer
  CompletionAnswer(CompletionRequest request, std::vector<EchoedPrompt> prompts,
                   std::shared_ptr<Reply> reply, const ServerIdentity& server,
                   const text::Tokenizer& tokenizer, ServerMetrics& metrics,
                   std::vector<std::pair<std::string, std::string>> cors);

  void on_prompt_scores(int order, std::vector<ScoredToken> scores) override;
  void on_piece(int order, int sample, TextPiece piece) override;
  void on_finished(int order, int sample, FinishedText text) override;
  void on_done() override;
  void on_failed(const ApiError& error) override;
  bool is_abandoned() const override { return reply_->is_abandoned(); }

 private:
  using Json = nlohmann::ordered_json;
  struct Choice {
    std::string text;
    std::vector<ScoredToken> scores;
    Json tokens = Json::array();  // with `wants_tokens`
    bool has_begun = false;       // its first event was sent
    std::optional<FinishedText> finished;
  };

  std::size_t index_of(int order, int sample) const;
  bool echoes() const { return request_.echo && !request_.is_chat; }
  void begin();
  void begin_choice(std::size_t index);
  Json head(const char* object) const;
  Json frame(std::size_t index, const std::string& text, const Json& logprobs, const Json& finish,
             bool is_first) const;
  void send(Json event);
  void send_whole();
  Json logprobs(const std::vector<ScoredToken>& scores, std::size_t offset) const;
  Json chat_logprobs(const std::vector<ScoredToken>& scores) const;
  Json completion_logprobs(const std::vector<ScoredToken>& scores, std::size_t offset) const;
  Json usage() const;
  void add_figures(Json& object) const;

  CompletionRequest request_;
  std::vector<EchoedPrompt> prompts_;
  std::shared_ptr<Reply> reply_;
  ServerIdentity server_;
  const text::Tokenizer& tokenizer_;
  ServerMetrics& metrics_;
  std::vector<std::pair<std::string, std::string>> cors_;
  std::string id_;
  std::int64_t created_;
  bool has_begun_ = false;
  std::vector<std::vector<ScoredToken>> prompt_scores_;  // [orders]
  std::vector<Choice> choices_;
};

}  // namespace outrider::serve
