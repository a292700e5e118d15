#include "runtime/serve/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "runtime/base/build_name.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/certify/kept_certificate.h"
#include "runtime/serve/json_body.h"
#include "runtime/serve/page.h"

namespace outrider::serve {
namespace {

constexpr const char* kModels = "/v1/models";
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

/// What there is once the model is loaded.
struct Api::Open {
  ApiOptions options;
  session::Session& session;
  Scheduler& scheduler;
  ServerMetrics& metrics;
  ServerIdentity identity;
  std::string model_hash;
  std::size_t longest_piece;
  std::unique_ptr<ConstraintMaker> constraints;

  const inference::Target& target() const { return std::as_const(session).target(); }
};

/// What a path does.
struct Api::Route {
  const char* method;
  std::string path;
  bool needs_model;
  std::function<void(Api&, const HttpRequest&, const std::shared_ptr<Reply>&)> answer;
};

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

const Api::Route* Api::find_route(const HttpRequest& request, bool& is_path_known) {
  is_path_known = false;
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : routes()) {
    const bool is_prefix = route.path.ends_with('/') && route.path.size() > 1;
    if (is_prefix ? !request.path.starts_with(route.path) : request.path != route.path) continue;
    is_path_known = true;
    if (method == route.method) return &route;
  }
  return nullptr;
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

Api::Json Api::model_object() const {
  const model::ModelConfig& config = open_->target().model().config;
  return {{"id", open_->identity.model},
          {"object", "model"},
          {"created", 0},
          {"owned_by", "outrider"},
          {"max_model_len", open_->target().context()},
          {"meta",
           {{"n_vocab", config.vocab},
            {"n_ctx_train", config.context},
            {"n_ctx", open_->target().context()},
            {"n_embd", config.width},
            {"n_layer", config.layers},
            {"architecture", config.architecture},
            {"model_hash", open_->model_hash}}}};
}

const std::vector<Api::Route>& Api::routes() {
  using Answer = std::shared_ptr<Reply>;
  const auto send = [](const Answer& reply, const Json& body) {
    reply->send({.body = json_text(body)});
  };
  const auto send_health = [send](Api& api, const HttpRequest&, const Answer& reply) {
    if (api.is_open_ && !api.is_closing_) return send(reply, {{"status", "ok"}});
    const char* message = api.is_open_ ? "the server is shutting down" : "Loading model";
    reply->send(
        {.status = 503,
         .body = json_text(Json{
             {"error", {{"code", 503}, {"message", message}, {"type", "unavailable_error"}}}})});
  };
  const auto with_body = [](auto answer) {
    return [answer](Api& api, const HttpRequest& request, const Answer& reply) {
      const nlohmann::json body = parse_body(request.body);
      RequestFields fields(body);
      const Json object = answer(api, fields);
      reply->send({.body = json_text(object), .headers = cors_headers(api.access_, request)});
    };
  };
  const auto plainly = [](auto answer) {
    return [answer](Api& api, const HttpRequest& request, const Answer& reply) {
      const Json object = answer(api);
      reply->send({.body = json_text(object), .headers = cors_headers(api.access_, request)});
    };
  };

  static const std::vector<Route> all = {
      {"GET", "/", false,
       [](Api&, const HttpRequest&, const Answer& reply) { reply->send(page_response()); }},
      {"GET", "/health", false, send_health},
      {"GET", "/v1/health", false, send_health},
      {"POST", "/v1/chat/completions", true,
       [](Api& api, const HttpRequest& request, const Answer& reply) {
         api.complete(request, reply, true);
       }},
      {"POST", "/v1/completions", true,
       [](Api& api, const HttpRequest& request, const Answer& reply) {
         api.complete(request, reply, false);
       }},
      {"GET", kModels, true, plainly([](Api& api) -> Json {
         return {{"object", "list"}, {"data", Json::array({api.model_object()})}};
       })},
      {"GET", std::string(kModels) + "/", true,
       [send](Api& api, const HttpRequest& request, const Answer& reply) {
         api.check_model(request.path.substr(std::string(kModels).size() + 1));
         send(reply, api.model_object());
       }},
      {"POST", "/tokenize", true, with_body([](Api& api, RequestFields& fields) -> Json {
         const text::Tokenizer& tokenizer = api.open_->target().tokenizer();
         std::vector<Token> tokens;
         if (fields.find("messages") != nullptr) {
           tokens = api.chat_tokens(parse_messages(fields));
         } else {
           const bool opens = fields.flag("add_special").value_or(false) ||
                              fields.flag("add_special_tokens").value_or(false);
           const bool parses = fields.flag("parse_special").value_or(true);
           const auto content = fields.text("content");
           const auto words = content ? content : fields.text("prompt");
           if (!words) throw ApiError(400, "content: missing, expected a text", "content");
           if (opens) tokens = tokenizer.start();
           for (const Token token : tokenizer.encode(*words, parses)) tokens.push_back(token);
         }
         Json answer = {{"tokens", tokens},
                        {"count", tokens.size()},
                        {"max_model_len", api.open_->target().context()}};
         if (fields.flag("with_pieces").value_or(false)) {
           answer["tokens"] = Json::array();
           for (const Token token : tokens)
             answer["tokens"].push_back(
                 {{"id", token}, {"piece", tokenizer.decode(std::span(&token, 1), true)}});
         }
         return answer;
       })},
      {"POST", "/detokenize", true, with_body([](Api& api, RequestFields& fields) -> Json {
         const nlohmann::json* given = fields.find("tokens");
         const text::Tokenizer& tokenizer = api.open_->target().tokenizer();
         if (given == nullptr) throw ApiError(400, "tokens: missing, expected a list", "tokens");
         const std::string text =
             tokenizer.decode(parse_tokens("tokens", *given, tokenizer.vocab()), true);
         return {{"content", text}, {"prompt", text}};
       })},
      {"GET", "/tokenizer_info", true, plainly([](Api& api) -> Json {
         const inference::Target& target = api.open_->target();
         const auto written = [&](const std::vector<Token>& tokens) {
           return tokens.empty()
                      ? Json()
                      : Json(target.tokenizer().decode(std::span(tokens).first(1), true));
         };
         const std::string& jinja = target.model().tokenizer.chat_template;
         return {{"tokenizer_class", "outrider"},
                 {"vocab_size", target.tokenizer().vocab()},
                 {"bos_token", written(target.tokenizer().start())},
                 {"eos_token", written(target.end_tokens())},
                 {"pad_token", nullptr},
                 {"end_tokens", target.end_tokens()},
                 {"model_max_length", target.context()},
                 {"chat_format", target.chat().name()},
                 {"chat_template", jinja.empty() ? Json() : Json(jinja)}};
       })},
      {"POST", "/apply-template", true, with_body([](Api& api, RequestFields& fields) -> Json {
         text::Conversation conversation = parse_messages(fields);
         if (!conversation.system) conversation.system = api.open_->target().options().system;
         return {{"prompt", api.open_->target().chat().open(conversation).text.text()}};
       })},
      {"GET", "/props", true, plainly([](Api& api) -> Json {
         const ApiOptions& options = api.open_->options;
         const sampling::SamplerOptions& sampler = options.rules.sampler;
         return {{"default_generation_settings",
                  {{"n_ctx", api.open_->target().context()},
                   {"params",
                    {{"temperature", sampler.temperature},
                     {"top_k", sampler.top_k},
                     {"top_p", sampler.top_p},
                     {"min_p", sampler.min_p},
                     {"repeat_penalty", sampler.repetition_penalty},
                     {"presence_penalty", sampler.presence_penalty},
                     {"frequency_penalty", sampler.frequency_penalty},
                     {"max_tokens", options.most_new}}}}},
                 {"total_slots", api.open_->scheduler.options().parallel},
                 {"model_alias", api.open_->identity.model},
                 {"model_path", api.open_->target().model().path.filename().string()},
                 {"chat_template", api.open_->target().model().tokenizer.chat_template},
                 {"method", options.default_method},
                 {"build_info", build_name()}};
       })},
      {"GET", "/slots", true, plainly([](Api& api) -> Json {
         const Scheduler::State state = api.open_->scheduler.state();
         Json slots = Json::array();
         for (const Scheduler::Slot& slot : state.slots)
           slots.push_back({{"id", slots.size()},
                            {"n_ctx", api.open_->target().context()},
                            {"is_processing", slot.is_processing},
                            {"method", slot.method.empty() ? Json() : Json(slot.method)},
                            {"n_prompt_tokens", slot.prompt_tokens},
                            {"n_decoded", slot.generated_tokens},
                            {"requests_waiting", state.waiting}});
         return slots;
       })},
      {"GET", "/metrics", true,
       [](Api& api, const HttpRequest&, const Answer& reply) {
         const Scheduler::State state = api.open_->scheduler.state();
         reply->send({.body = api.open_->metrics.text(
                          api.open_->options.metrics_prefix,
                          {.running = state.running,
                           .waiting = state.waiting,
                           .cache_bytes = state.cache_bytes,
                           .most_cache_bytes = api.open_->scheduler.options().cache_bytes}),
                      .type = "text/plain; version=0.0.4; charset=utf-8"});
       }},
      {"GET", "/v1/speculation/methods", true, plainly([](Api& api) -> Json {
         Json object = methods_json(api.open_->options.rules.speculation);
         object["default"] = api.open_->options.default_method;
         return object;
       })},
      {"GET", "/v1/certificate", true,
       [](Api& api, const HttpRequest& request, const Answer& reply) {
         const auto kept = certify::kept_certificate(
             api.open_->options.cache_folder,
             certify::certificate_key(api.open_->model_hash,
                                      std::as_const(*api.open_).target().engine()));
         if (!kept)
           throw ApiError(404,
                          "no certificate of this model on this machine by this version: run "
                          "`runtime certify -m MODEL`, which keeps one");
         reply->send({.body = *kept, .headers = cors_headers(api.access_, request)});
       }},
  };
  return all;
}

}  // namespace outrider::serve
