#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/build_name.h"
#include "runtime/base/json_text.h"
#include "runtime/certify/kept_certificate.h"
#include "runtime/serve/api_state.h"
#include "runtime/serve/json_body.h"
#include "runtime/serve/page.h"

namespace outrider::serve {
namespace {

constexpr const char* kModels = "/v1/models";

}  // namespace

/// What the paths answer that generate nothing.
struct Api::Answers {
  using Answer = std::shared_ptr<Reply>;

  static void health(Api& api, const HttpRequest&, const Answer& reply) {
    if (api.is_open_ && !api.is_closing_)
      return reply->send({.body = json_text(Json{{"status", "ok"}})});
    const char* message = api.is_open_ ? "the server is shutting down" : "Loading model";
    reply->send(
        {.status = 503,
         .body = json_text(Json{
             {"error", {{"code", 503}, {"message", message}, {"type", "unavailable_error"}}}})});
  }

  static Json models(const Api& api) {
    return {{"object", "list"}, {"data", Json::array({model_object(api)})}};
  }

  static void one_model(const Api& api, const HttpRequest& request, const Answer& reply) {
    api.check_model(request.path.substr(std::string(kModels).size() + 1));
    reply->send({.body = json_text(model_object(api))});
  }

  static Json tokenize(const Api& api, RequestFields& fields) {
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
  }

  static Json detokenize(const Api& api, RequestFields& fields) {
    const nlohmann::json* given = fields.find("tokens");
    const text::Tokenizer& tokenizer = api.open_->target().tokenizer();
    if (given == nullptr) throw ApiError(400, "tokens: missing, expected a list", "tokens");
    const std::string text =
        tokenizer.decode(parse_tokens("tokens", *given, tokenizer.vocab()), true);
    return {{"content", text}, {"prompt", text}};
  }

  static Json tokenizer_info(const Api& api) {
    const inference::Target& target = api.open_->target();
    const auto written = [&](const std::vector<Token>& tokens) {
      return tokens.empty() ? Json()
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
  }

  static Json apply_template(const Api& api, RequestFields& fields) {
    text::Conversation conversation = parse_messages(fields);
    if (!conversation.system) conversation.system = api.open_->target().options().system;
    return {{"prompt", api.open_->target().chat().open(conversation).text.text()}};
  }

  static Json props(const Api& api) {
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
  }

  static Json slots(const Api& api) {
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
  }

  static void metrics(const Api& api, const HttpRequest&, const Answer& reply) {
    const Scheduler::State state = api.open_->scheduler.state();
    reply->send({.body = api.open_->metrics.text(
                     api.open_->options.metrics_prefix,
                     {.running = state.running,
                      .waiting = state.waiting,
                      .cache_bytes = state.cache_bytes,
                      .most_cache_bytes = api.open_->scheduler.options().cache_bytes}),
                 .type = "text/plain; version=0.0.4; charset=utf-8"});
  }

  static Json methods(const Api& api) {
    Json object = methods_json(api.open_->options.rules.speculation);
    object["default"] = api.open_->options.default_method;
    return object;
  }

  static void certificate(const Api& api, const HttpRequest& request, const Answer& reply) {
    const auto kept = certify::kept_certificate(
        api.open_->options.cache_folder,
        certify::certificate_key(api.open_->model_hash, api.open_->target().engine()));
    if (!kept)
      throw ApiError(404,
                     "no certificate of this model on this machine by this version: run `runtime "
                     "certify -m MODEL`, which keeps one");
    reply->send({.body = *kept, .headers = cors_headers(api.access_, request)});
  }

 private:
  static Json model_object(const Api& api) {
    const inference::Target& target = api.open_->target();
    const model::ModelConfig& config = target.model().config;
    return {{"id", api.open_->identity.model},
            {"object", "model"},
            {"created", 0},
            {"owned_by", "outrider"},
            {"max_model_len", target.context()},
            {"meta",
             {{"n_vocab", config.vocab},
              {"n_ctx_train", config.context},
              {"n_ctx", target.context()},
              {"n_embd", config.width},
              {"n_layer", config.layers},
              {"architecture", config.architecture},
              {"model_hash", api.open_->model_hash}}}};
  }
};

const std::vector<Api::Route>& Api::routes() {
  using Answer = std::shared_ptr<Reply>;
  const auto of_fields = [](auto answer) {
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
  const auto completing = [](bool is_chat) {
    return [is_chat](Api& api, const HttpRequest& request, const Answer& reply) {
      api.complete(request, reply, is_chat);
    };
  };
  const auto send_page = [](Api&, const HttpRequest&, const Answer& reply) {
    reply->send(page_response());
  };

  static const std::vector<Route> all = {
      {"GET", "/", false, send_page},
      {"GET", "/health", false, Answers::health},
      {"GET", "/v1/health", false, Answers::health},
      {"POST", "/v1/chat/completions", true, completing(true)},
      {"POST", "/v1/completions", true, completing(false)},
      {"GET", kModels, true, plainly(Answers::models)},
      {"GET", std::string(kModels) + "/", true, Answers::one_model},
      {"POST", "/tokenize", true, of_fields(Answers::tokenize)},
      {"POST", "/detokenize", true, of_fields(Answers::detokenize)},
      {"GET", "/tokenizer_info", true, plainly(Answers::tokenizer_info)},
      {"POST", "/apply-template", true, of_fields(Answers::apply_template)},
      {"GET", "/props", true, plainly(Answers::props)},
      {"GET", "/slots", true, plainly(Answers::slots)},
      {"GET", "/metrics", true, Answers::metrics},
      {"GET", "/v1/speculation/methods", true, plainly(Answers::methods)},
      {"GET", "/v1/certificate", true, Answers::certificate},
  };
  return all;
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

}  // namespace outrider::serve
