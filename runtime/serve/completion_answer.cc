#include "runtime/serve/completion_answer.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "runtime/base/json_text.h"
#include "runtime/inference/decode_record.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::serve {
namespace {

using Json = nlohmann::ordered_json;

/// A name that no other answer has.
std::string new_id(const char* kind) {
  std::random_device random;
  std::string id = kind;
  for (int i = 0; i < 3; ++i) id += fmt::format("{:08x}", random());
  return id;
}

std::int64_t now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since).count();
}

Json bytes_of(std::string_view text) {
  Json bytes = Json::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

/// A token's piece; of a part of a character as OpenAI writes it: "bytes:\xe2\x96".
std::string written(std::string_view piece) {
  if (!text::find_invalid_utf8(piece)) return std::string(piece);
  std::string text = "bytes:";
  for (const char c : piece) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// llama.cpp's names.
Json timings_of(const FinishedText& text) {
  const decode::DecodeResult& result = text.text.result;
  const decode::DecodeStats& stats = result.stats;
  const auto prompt = static_cast<std::int64_t>(text.text.prompt_tokens.size());
  const std::int64_t read = std::min<std::int64_t>(prompt, stats.prefilled_rows);
  // The first token comes with the prompt's last row.
  const auto decoded = static_cast<double>(std::max<std::size_t>(result.tokens.size(), 1) - 1);
  const double seconds = stats.decode_seconds;
  return {{"cache_n", prompt - read},
          {"prompt_n", read},
          {"prompt_ms", 1000 * stats.prefill_seconds},
          {"predicted_n", result.tokens.size()},
          {"predicted_ms", 1000 * seconds},
          {"predicted_per_second", seconds > 0 ? decoded / seconds : 0},
          {"draft_n", stats.drafted},
          {"draft_n_accepted", stats.accepted}};
}

/// vLLM's names.
Json metrics_of(const FinishedText& text) {
  const decode::DecodeStats& stats = text.text.result.stats;
  std::vector<std::int64_t> histogram;
  std::int64_t drafts = 0, longest = 0;
  for (const decode::PassDraft& pass : stats.by_pass) {
    if (pass.drafted == 0) continue;
    ++drafts;
    longest = std::max<std::int64_t>(longest, pass.drafted);
    const auto accepted = static_cast<std::size_t>(pass.accepted);
    if (histogram.size() <= accepted) histogram.resize(accepted + 1);
    ++histogram[accepted];
  }
  const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
  return {{"speculative_decoding",
           {{"mean_acceptance_length",
             drafts == 0 ? 1.0 : 1 + share(stats.accepted, static_cast<double>(drafts))},
            {"draft_acceptance_rate", share(stats.accepted, stats.drafted)},
            {"acceptance_histogram", histogram},
            {"num_spec_steps", drafts},
            {"num_accepted_draft_tokens", stats.accepted},
            {"num_draft_tokens", stats.drafted},
            {"num_spec_tokens", longest}}}};
}

/// Our own figures of a text.
Json figures_of(std::size_t index, const FinishedText& text) {
  const decode::DecodeResult& result = text.text.result;
  const decode::DecodeStats& stats = result.stats;
  const double drafting = decode::drafting_seconds(stats);
  Json by_drafter = Json::object();
  for (const draft::DrafterResults& one : stats.by_drafter)
    by_drafter[one.name] = {
        {"passes", one.passes}, {"drafted", one.drafted}, {"accepted", one.accepted}};
  const double own = decode::own_seconds(stats);
  const auto decoded = static_cast<std::int64_t>(result.tokens.size()) - 1;
  Json figures = {{"index", index},
                  {"method", text.method},
                  {"settings", *text.settings},
                  {"by_drafter", by_drafter},
                  {"passes", stats.passes},
                  {"tokens_per_pass", decode::tokens_per_pass(decoded, stats.passes)},
                  {"seconds",
                   {{"waited", text.waited_seconds},
                    {"prompt", stats.prefill_seconds},
                    {"draft", drafting},
                    {"verify", stats.verify_seconds},
                    {"sample", stats.sample_seconds},
                    {"other", std::max(0.0, stats.decode_seconds - own)}}}};
  figures["texts_per_pass"] = text.texts_per_pass;
  const bool is_known = text.plain_seconds && own > 0;
  figures["plain_ms"] = is_known ? Json(1000 * *text.plain_seconds) : Json();
  figures["faster"] = is_known ? Json(*text.plain_seconds / own) : Json();
  if (text.is_checked) {
    figures["check"] = {{"equal", !text.difference}, {"tokens", result.tokens.size()}};
    if (text.difference) figures["check"]["difference"] = *text.difference;
  }
  return figures;
}

}  // namespace

CompletionAnswer::CompletionAnswer(CompletionRequest request, std::vector<EchoedPrompt> prompts,
                                   std::shared_ptr<Reply> reply, const ServerIdentity& server,
                                   const text::Tokenizer& tokenizer, ServerMetrics& metrics,
                                   std::vector<std::pair<std::string, std::string>> cors)
    : request_(std::move(request)),
      prompts_(std::move(prompts)),
      reply_(std::move(reply)),
      server_(server),
      tokenizer_(tokenizer),
      metrics_(metrics),
      cors_(std::move(cors)),
      id_(new_id(request_.is_chat ? "chatcmpl-" : "cmpl-")),
      created_(now()),
      prompt_scores_(prompts_.size()),
      choices_(prompts_.size() * static_cast<std::size_t>(request_.samples)) {
  if (!echoes()) return;
  for (std::size_t i = 0; i < choices_.size(); ++i)
    choices_[i].text = prompts_[i / static_cast<std::size_t>(request_.samples)].text;
}

std::size_t CompletionAnswer::index_of(int order, int sample) const {
  return static_cast<std::size_t>(order * request_.samples + sample);
}

/// What begins every object.
Json CompletionAnswer::head(const char* object) const {
  return {{"id", id_},
          {"object", object},
          {"created", created_},
          {"model", server_.model},
          {"system_fingerprint", server_.fingerprint}};
}

/// A choice's part of a stream.
Json CompletionAnswer::frame(std::size_t index, const std::string& text, const Json& logprobs,
                             const Json& finish, bool is_first) const {
  Json choice = {{"index", index}};
  if (request_.is_chat) {
    Json delta = Json::object();
    if (is_first) delta["role"] = "assistant";
    if (is_first || !text.empty()) delta["content"] = text;
    choice["delta"] = delta;
  } else {
    choice["text"] = text;
  }
  choice["logprobs"] = logprobs;
  choice["finish_reason"] = finish;
  Json event = head(request_.is_chat ? "chat.completion.chunk" : "text_completion");
  event["choices"] = Json::array({choice});
  return event;
}

void CompletionAnswer::send(Json event) {
  if (request_.includes_usage && !event.contains("usage")) event["usage"] = nullptr;
  reply_->send_event(json_text(event));
}

void CompletionAnswer::begin() {
  if (has_begun_) return;
  has_begun_ = true;
  reply_->begin_stream(cors_);
}

/// The role comes first, with `echo` the prompt.
void CompletionAnswer::begin_choice(std::size_t index) {
  begin();
  Choice& choice = choices_[index];
  if (choice.has_begun) return;
  choice.has_begun = true;
  if (request_.is_chat) return send(frame(index, "", {}, {}, true));
  if (!echoes()) return;
  const std::size_t order = index / static_cast<std::size_t>(request_.samples);
  send(frame(index, prompts_[order].text, logprobs(prompt_scores_[order], 0), {}, true));
}

void CompletionAnswer::on_prompt_scores(int order, std::vector<ScoredToken> scores) {
  prompt_scores_[static_cast<std::size_t>(order)] = std::move(scores);
}

void CompletionAnswer::on_piece(int order, int sample, TextPiece piece) {
  const std::size_t index = index_of(order, sample);
  Choice& choice = choices_[index];
  Json tokens = Json::array();
  if (request_.wants_tokens)
    for (std::size_t i = 0; i < piece.tokens.size(); ++i)
      tokens.push_back({{"id", piece.tokens[i]},
                        {"text", tokenizer_.decode(std::span(&piece.tokens[i], 1), true)},
                        {"drafter", piece.drafters[i].empty() ? Json() : Json(piece.drafters[i])}});
  if (!request_.streams) {
    choice.scores.insert(choice.scores.end(), piece.scores.begin(), piece.scores.end());
    choice.text += piece.text;
    for (const Json& token : tokens) choice.tokens.push_back(token);
    return;
  }
  begin_choice(index);
  // Part of a character, or of what may be a stop string, is held back.
  if (piece.text.empty() && piece.scores.empty() && tokens.empty()) return;
  const std::size_t offset = request_.top ? characters(choice.text) : 0;
  Json event = frame(index, piece.text, logprobs(piece.scores, offset), {}, false);
  choice.text += piece.text;
  if (request_.wants_tokens) event["outrider"] = {{"index", index}, {"tokens", tokens}};
  send(event);
}

void CompletionAnswer::on_finished(int order, int sample, FinishedText text) {
  const std::size_t index = index_of(order, sample);
  choices_[index].finished = std::move(text);
  if (!request_.streams) return;
  begin_choice(index);
  Json event = frame(index, "", {}, finish_of(*choices_[index].finished), false);
  const bool is_last = std::all_of(choices_.begin(), choices_.end(),
                                   [](const Choice& one) { return one.finished.has_value(); });
  if (is_last && !request_.includes_usage) add_figures(event);
  send(event);
}

void CompletionAnswer::on_done() {
  const bool has_texts = request_.max_new.value_or(1) > 0;
  if (has_texts && std::any_of(choices_.begin(), choices_.end(),
                               [](const Choice& one) { return !one.finished; }))
    return;  // it was abandoned
  if (!request_.streams) return send_whole();
  begin();
  if (!has_texts)
    for (std::size_t index = 0; index < choices_.size(); ++index) {
      begin_choice(index);
      send(frame(index, "", {}, "length", false));
    }
  if (request_.includes_usage) {
    Json event = head(request_.is_chat ? "chat.completion.chunk" : "text_completion");
    event["choices"] = Json::array();
    event["usage"] = usage();
    add_figures(event);
    send(event);
  }
  reply_->send_event("[DONE]");
  reply_->end_stream();
}

void CompletionAnswer::on_failed(const ApiError& error) {
  metrics_.add_failure(error.status);
  if (!has_begun_)
    return reply_->send({.status = error.status, .body = error_body(error), .headers = cors_});
  reply_->send_event(error_body(error));
  reply_->end_stream();
}

void CompletionAnswer::send_whole() {
  Json answer = head(request_.is_chat ? "chat.completion" : "text_completion");
  answer["choices"] = Json::array();
  for (std::size_t index = 0; index < choices_.size(); ++index) {
    Choice& choice = choices_[index];
    Json one = {{"index", index}};
    if (request_.is_chat)
      one["message"] = {{"role", "assistant"}, {"content", choice.text}, {"refusal", nullptr}};
    else
      one["text"] = choice.text;
    std::vector<ScoredToken> scores;
    if (echoes()) scores = prompt_scores_[index / static_cast<std::size_t>(request_.samples)];
    scores.insert(scores.end(), choice.scores.begin(), choice.scores.end());
    one["logprobs"] = request_.top ? logprobs(scores, 0) : Json();
    one["finish_reason"] = choice.finished ? finish_of(*choice.finished) : "length";
    answer["choices"].push_back(one);
  }
  answer["usage"] = usage();
  add_figures(answer);
  reply_->send({.body = json_text(answer), .headers = cors_});
}

Json CompletionAnswer::logprobs(const std::vector<ScoredToken>& scores, std::size_t offset) const {
  if (!request_.top) return {};
  return request_.is_chat ? chat_logprobs(scores) : completion_logprobs(scores, offset);
}

Json CompletionAnswer::chat_logprobs(const std::vector<ScoredToken>& scores) const {
  const auto one = [this](Token token, float log_prob) -> Json {
    return {{"token", tokenizer_.decode(std::span(&token, 1), true)},
            {"logprob", log_prob},
            {"bytes", bytes_of(tokenizer_.piece(token, true))}};
  };
  Json content = Json::array();
  for (const ScoredToken& scored : scores) {
    Json entry = one(scored.token, scored.log_prob.value_or(0));
    entry["top_logprobs"] = Json::array();
    for (std::size_t i = 0; i < scored.best.ids.size(); ++i)
      entry["top_logprobs"].push_back(one(scored.best.ids[i], scored.best.log_probs[i]));
    content.push_back(entry);
  }
  return {{"content", content}, {"refusal", nullptr}};
}

Json CompletionAnswer::completion_logprobs(const std::vector<ScoredToken>& scores,
                                           std::size_t offset) const {
  Json tokens = Json::array(), log_probs = Json::array(), best = Json::array(),
       offsets = Json::array();
  for (const ScoredToken& scored : scores) {
    const std::string& piece = tokenizer_.piece(scored.token, true);
    tokens.push_back(written(piece));
    offsets.push_back(offset);
    offset += characters(piece);
    if (!scored.log_prob) {  // the first token of a prompt follows nothing
      log_probs.push_back(nullptr);
      best.push_back(nullptr);
      continue;
    }
    log_probs.push_back(*scored.log_prob);
    Json likeliest = Json::object();
    for (std::size_t i = 0; i < scored.best.ids.size(); ++i)
      likeliest[written(tokenizer_.piece(scored.best.ids[i], true))] = scored.best.log_probs[i];
    best.push_back(likeliest);
  }
  return {{"tokens", tokens},
          {"token_logprobs", log_probs},
          {"top_logprobs", best},
          {"text_offset", offsets}};
}

Json CompletionAnswer::usage() const {
  std::int64_t prompt = 0, completion = 0, cached = 0, accepted = 0, rejected = 0;
  for (const EchoedPrompt& one : prompts_) prompt += std::ssize(one.tokens);
  for (std::size_t index = 0; index < choices_.size(); ++index) {
    if (!choices_[index].finished) continue;
    const inference::GeneratedText& text = choices_[index].finished->text;
    completion += std::ssize(text.result.tokens);
    if (index % static_cast<std::size_t>(request_.samples) == 0)
      cached += std::max<std::int64_t>(
          0, std::ssize(text.prompt_tokens) - text.result.stats.prefilled_rows);
    for (const draft::DrafterResults& one : text.result.stats.by_drafter)
      if (one.name == "prediction") {
        accepted += one.accepted;
        rejected += one.drafted - one.accepted;
      }
  }
  Json usage = {{"prompt_tokens", prompt},
                {"completion_tokens", completion},
                {"total_tokens", prompt + completion},
                {"prompt_tokens_details", {{"cached_tokens", cached}}}};
  if (request_.prediction)
    usage["completion_tokens_details"] = {{"accepted_prediction_tokens", accepted},
                                          {"rejected_prediction_tokens", rejected}};
  return usage;
}

/// The figures of other servers are of one text.
void CompletionAnswer::add_figures(Json& object) const {
  Json texts = Json::array();
  for (std::size_t index = 0; index < choices_.size(); ++index) {
    if (!choices_[index].finished) continue;
    Json figures = figures_of(index, *choices_[index].finished);
    if (request_.wants_tokens) {
      figures["drafts"] =
          inference::drafts_by_pass(choices_[index].finished->text.result.stats.by_pass);
      if (!request_.streams) figures["tokens"] = choices_[index].tokens;
    }
    texts.push_back(figures);
  }
  if (choices_.size() == 1 && choices_[0].finished) {
    object["timings"] = timings_of(*choices_[0].finished);
    object["metrics"] = metrics_of(*choices_[0].finished);
  } else {
    object["metrics"] = nullptr;
  }
  object["outrider"] = {{"seed", request_.sampler.seed}, {"texts", texts}};
}

}  // namespace outrider::serve
