#include "runtime/serve/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/serve/api_state.h"
#include "runtime/serve/json_body.h"

namespace outrider::serve {
namespace {

/// After which a client whose request was refused because too many wait may try again.
constexpr const char* kRetryAfterSeconds = "2";

/// The longest piece of a vocabulary, in bytes: no text of more bytes than this has few enough tokens.
std::size_t longest_piece(const text::Tokenizer& tokenizer) {
  std::size_t longest = 1;
  for (Token token = 0; token < tokenizer.vocab(); ++token)
    longest = std::max(longest, tokenizer.piece(token, true).size());
  return longest;
}

std::uint64_t drawn_seed() {
  // As JSON's numbers hold it without loss.
  std::random_device random;
  return (static_cast<std::uint64_t>(random()) << 20 ^ random()) & ((std::uint64_t{1} << 53) - 1);
}

}  // namespace

void Api::open(ApiOptions options, session::Session& session, Scheduler& scheduler,
               ServerMetrics& metrics, const std::string& fingerprint,
               const std::string& model_hash) {
  const ServerIdentity identity = {options.model, "outrider-" + fingerprint};
  open_ = std::make_shared<Open>(Open{
      std::move(options), session, scheduler, metrics, identity, model_hash,
      longest_piece(session.target().tokenizer()),
      std::make_unique<ConstraintMaker>(session.grammars(), scheduler.options().most_waiting)});
  is_open_ = true;  // what was written before is seen by who reads this
}

void Api::close() {
  is_closing_ = true;
  if (is_open_) open_->constraints->stop();
}

HttpResponse Api::refused(const ApiError& error, const HttpRequest& request) {
  if (is_open_) open_->metrics.add_failure(error.status);
  HttpResponse response = {.status = error.status, .body = error_body(error)};
  response.headers = cors_headers(access_, request);
  if (error.status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (error.status == 429) response.headers.emplace_back("Retry-After", kRetryAfterSeconds);
  return response;
}

std::optional<HttpResponse> Api::check(const HttpRequest& request) {
  try {
    check_access(access_, request);
    if (request.method == "OPTIONS") return std::nullopt;
    bool is_path_known = false;
    const Route* route = find_route(request, is_path_known);
    if (route == nullptr)
      throw is_path_known
          ? ApiError(405, fmt::format("{} is not a method of {:.60}", request.method, request.path))
          : ApiError(404, fmt::format("there is no {:.60}", request.path), "", "unknown_url");
    if (route->needs_model && !is_open_) throw ApiError(503, "Loading model");
    if (request.method != "POST") return std::nullopt;
    const std::string_view type = request.header("content-type");
    if (!type.empty() && type.substr(0, type.find(';')) != "application/json")
      throw ApiError(415, fmt::format("Content-Type: expected application/json, found {:.60}; curl "
                                      "takes -H 'Content-Type: application/json'",
                                      type));
    return std::nullopt;
  } catch (const ApiError& error) {
    return refused(error, request);
  }
}

void Api::answer(const HttpRequest& request, const std::shared_ptr<Reply>& reply) {
  try {
    if (request.method == "OPTIONS")
      return reply->send({.status = 204, .headers = cors_headers(access_, request)});
    bool is_path_known = false;
    find_route(request, is_path_known)->answer(*this, request, reply);
  } catch (const ApiError& error) {
    reply->send(refused(error, request));
  } catch (const InputError& error) {
    reply->send(refused({400, error.what()}, request));
  } catch (const std::bad_alloc&) {
    reply->send(refused({503, "not enough memory for this request"}, request));
  } catch (const std::exception& error) {
    print_log("serve: {} {}: {}\n", request.method, request.path, error.what());
    reply->send(refused({500, "the request failed; the server's log says why"}, request));
  }
}

void Api::check_model(const std::string& name) const {
  if (name.empty() || name == "default" || name == open_->identity.model) return;
  throw ApiError(
      404, fmt::format("model: there is no '{:.60}' here, only '{}'", name, open_->identity.model),
      "model", "model_not_found");
}

/// Names fields that were ignored, once each; what clients invent is not kept without end.
void Api::tell_unknown(const std::vector<std::string>& fields) {
  constexpr std::size_t kMostTold = 100;
  for (const std::string& field : fields) {
    if (open_->options.quiet || told_.size() >= kMostTold || !told_.insert(field).second) continue;
    print_log("serve: unknown field ignored: {:.60}\n", json_text(nlohmann::json(field)));
  }
}

/// Refuses a text that cannot fit before any of it is made tokens.
void Api::check_length(std::size_t bytes) const {
  const auto most = static_cast<std::size_t>(open_->target().context());
  // Normalisation may drop some of a text, so only what is far too long is refused by its bytes.
  if (bytes / 4 > most * open_->longest_piece)
    throw ApiError(
        400,
        fmt::format("the prompt has {} bytes, too many for the context of {} tokens", bytes, most),
        "", "context_length_exceeded");
}

std::vector<Token> Api::chat_tokens(const text::Conversation& given) const {
  std::size_t bytes = 0;
  for (const text::Message& message : given.messages) bytes += message.content.size();
  check_length(bytes);
  text::Conversation conversation = given;
  if (!conversation.system) conversation.system = open_->target().options().system;
  try {
    return open_->target().tokenizer().encode_opening(
        open_->target().chat().open(conversation).text);
  } catch (const InputError& error) {  // of the chat template
    throw ApiError(400, error.what(), "messages");
  }
}

std::vector<Token> Api::prompt_tokens(const GivenPrompt& prompt) const {
  if (const auto* tokens = std::get_if<std::vector<Token>>(&prompt)) return *tokens;
  const auto& words = std::get<std::string>(prompt);
  check_length(words.size());
  text::PromptText text;
  text.mark(words);
  return open_->target().tokenizer().encode_opening(text);
}

/// @throws ApiError for a prompt that is empty, or leaves no room for a token
TextOrder Api::order_of(const CompletionRequest& request, std::vector<Token> prompt) const {
  const char* field = request.is_chat ? "messages" : "prompt";
  const int context = open_->target().context();
  if (prompt.empty())
    throw ApiError(400, fmt::format("{}: the prompt encodes to no token", field), field);
  const bool generates = request.max_new.value_or(1) > 0;
  if (std::ssize(prompt) + (generates ? 1 : 0) > context)
    throw ApiError(
        400,
        fmt::format("{}: the prompt has {} tokens, expected fewer than the context of {}", field,
                    prompt.size(), context),
        field, "context_length_exceeded");
  TextOrder order;
  order.options = std::as_const(open_->session).generation();
  order.options.stops = request.stops;
  order.options.sampler = request.sampler;
  order.options.interrupted = {};
  const int most = open_->options.most_new == 0 ? context : open_->options.most_new;
  order.options.max_new = std::min(request.max_new.value_or(most), most);
  order.turn = request.turn;
  order.samples = request.samples;
  order.method = request.speculation.method
                     ? request.speculation.method
                     : open_->options.rules.speculation.new_method(open_->options.default_method);
  if (request.prediction)
    order.prediction = open_->target().tokenizer().encode(*request.prediction, false);
  order.top = request.top;
  order.scores_prompt = request.echo && request.top.has_value();
  order.check = request.speculation.check;
  order.prompt = std::move(prompt);
  return order;
}

void Api::complete(const HttpRequest& request, const std::shared_ptr<Reply>& reply, bool is_chat) {
  if (is_closing_) throw ApiError(503, "the server is shutting down");
  const nlohmann::json body = parse_body(request.body);
  const RequestRules& rules = open_->options.rules;
  CompletionRequest wanted = is_chat ? parse_chat(body, rules) : parse_completion(body, rules);
  tell_unknown(wanted.unknown);
  check_model(wanted.model);
  if (!wanted.has_seed) wanted.sampler.seed = drawn_seed();
  if (wanted.prediction) check_length(wanted.prediction->size());
  grammar::AnswerFormat format = wanted.format;
  if (format.kind == grammar::AnswerFormat::Kind::kJsonSchema)
    format.schema = text_at(request.body, wanted.schema_place);
  std::vector<TextOrder> orders;
  std::vector<EchoedPrompt> prompts;
  if (is_chat) {
    orders.push_back(order_of(wanted, chat_tokens(wanted.conversation)));
    prompts.push_back({orders.back().prompt, ""});
  }
  for (const GivenPrompt& prompt : wanted.prompts) {
    orders.push_back(order_of(wanted, prompt_tokens(prompt)));
    const auto* words = std::get_if<std::string>(&prompt);
    const std::vector<Token>& tokens = orders.back().prompt;
    prompts.push_back(
        {tokens, words != nullptr ? *words : open_->target().tokenizer().decode(tokens, true)});
  }
  const auto answer = std::make_shared<CompletionAnswer>(
      std::move(wanted), std::move(prompts), reply, open_->identity, open_->target().tokenizer(),
      open_->metrics, cors_headers(access_, request));
  submit_with_format(format, std::move(orders), answer);
}

/// @throws ApiError where it is not taken
void Api::submit(std::vector<TextOrder> orders, const std::shared_ptr<CompletionAnswer>& answer) {
  if (!open_->scheduler.submit(std::move(orders), answer)) throw not_taken();
}

/// What a request is told that is one too many.
ApiError Api::not_taken() const {
  return is_closing_ ? ApiError(503, "the server is shutting down")
                     : ApiError(429, "too many requests wait; try again later", "", "queue_full");
}

/// Submits the orders once the constraint of their format is made; text has none.
/// @throws ApiError where they are not taken
void Api::submit_with_format(const grammar::AnswerFormat& format, std::vector<TextOrder> orders,
                             const std::shared_ptr<CompletionAnswer>& answer) {
  if (format.kind == grammar::AnswerFormat::Kind::kText) return submit(std::move(orders), answer);
  const auto shared = std::make_shared<std::vector<TextOrder>>(std::move(orders));
  const bool is_taken = open_->constraints->make(
      {.format = format,
       .is_abandoned = [answer] { return answer->is_abandoned(); },
       .on_made =
           [this, shared, answer](const sampling::NewConstraint& made) {
             for (TextOrder& order : *shared) order.options.new_constraint = made;
             try {
               submit(std::move(*shared), answer);
             } catch (const ApiError& error) {
               answer->on_failed(error);
             }
           },
       .on_failed = [answer](const ApiError& error) { answer->on_failed(error); }});
  if (!is_taken) throw not_taken();
}

}  // namespace outrider::serve
