#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/serve/access.h"
#include "runtime/serve/completion_answer.h"
#include "runtime/serve/completion_request.h"
#include "runtime/serve/constraint_maker.h"
#include "runtime/serve/http_message.h"
#include "runtime/serve/scheduler.h"
#include "runtime/serve/server_metrics.h"
#include "runtime/session/session.h"

namespace outrider::serve {

struct ApiOptions {
  AccessRules access;
  std::string model;           // the name that clients know the model by
  std::string default_method;  // of requests that ask for none
  RequestRules rules;
  int most_new = 0;  // tokens of a text; 0: as many as the context leaves room for
  std::string metrics_prefix = "outrider";
  std::filesystem::path cache_folder;  // of certificates and fingerprints; empty: none is kept
  bool quiet = false;
};

/// Answers requests: what each path does. Until the model is loaded it says so. Called by the server's thread.
class Api {
 public:
  explicit Api(AccessRules access) : access_(std::move(access)) {}

  /// The model is there. @param session, scheduler, metrics  must outlive all requests
  void open(ApiOptions options, session::Session& session, Scheduler& scheduler,
            ServerMetrics& metrics, const std::string& fingerprint, const std::string& model_hash);
  /// No further texts are generated: the server ends.
  void close();

  /// As CheckHeader of an HttpServer: refuses by the header alone.
  std::optional<HttpResponse> check(const HttpRequest& request);
  /// As OnRequest of an HttpServer.
  void answer(const HttpRequest& request, const std::shared_ptr<Reply>& reply);

 private:
  using Json = nlohmann::ordered_json;
  struct Open;
  struct Route;
  struct Answers;
  static const std::vector<Route>& routes();
  static const Route* find_route(const HttpRequest& request, bool& is_path_known);

  HttpResponse refused(const ApiError& error, const HttpRequest& request);
  void complete(const HttpRequest& request, const std::shared_ptr<Reply>& reply, bool is_chat);
  void submit(std::vector<TextOrder> orders, const std::shared_ptr<CompletionAnswer>& answer);
  void submit_with_format(const grammar::AnswerFormat& format, std::vector<TextOrder> orders,
                          const std::shared_ptr<CompletionAnswer>& answer);
  ApiError not_taken() const;
  TextOrder order_of(const CompletionRequest& request, std::vector<Token> prompt) const;
  std::vector<Token> chat_tokens(const text::Conversation& conversation) const;
  std::vector<Token> prompt_tokens(const GivenPrompt& prompt) const;
  void check_length(std::size_t bytes) const;
  void check_model(const std::string& name) const;
  void tell_unknown(const std::vector<std::string>& fields);

  AccessRules access_;
  std::shared_ptr<Open> open_;  // null until the model is loaded
  std::atomic<bool> is_open_{false};
  std::atomic<bool> is_closing_{false};
  std::set<std::string> told_;  // fields that were ignored
};

}  // namespace outrider::serve
