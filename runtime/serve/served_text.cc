#include "runtime/serve/served_text.h"

#include <utility>

#include "runtime/base/error.h"
#include "runtime/sampling/sampler.h"

namespace outrider::serve {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

/// The drafter of an order: its method's, and before it what copies from the prediction.
std::unique_ptr<draft::Drafter> drafter_with_prediction(const TextOrder& order,
                                                        const methods::PreparedMethod& method) try {
  return order.prediction
             ? method.new_drafter(*order.prediction, static_cast<int>(order.prompt.size()))
             : method.new_drafter();
} catch (const InputError& error) {
  throw ApiError(400, error.what(), "prediction", "unsupported");
}

/// The same, and before it what the order's format forces.
std::unique_ptr<draft::Drafter> drafter_of(const TextOrder& order,
                                           const methods::PreparedMethod& method,
                                           const inference::Target& target) {
  return inference::with_forced_text(drafter_with_prediction(order, method), target, order.options);
}

}  // namespace

ServedText::ServedText(std::shared_ptr<ServedRequest> request, Kind kind, int order, int sample,
                       inference::Target& target, ServerMetrics& metrics)
    : request_(std::move(request)),
      kind_(kind),
      order_(order),
      sample_(sample),
      target_(target),
      metrics_(metrics),
      stream_(target.tokenizer(), this->order().options.stops) {}

const decode::Request& ServedText::for_batch() {
  if (!for_batch_) for_batch_ = new_request();
  return *for_batch_;
}

decode::Request ServedText::new_request() {
  const TextOrder& wanted = order();
  const inference::GenerationOptions& options = wanted.options;
  // Named as `runtime decode -p` names texts, whose noise is the same then.
  const std::uint64_t seed =
      sampling::sequence_seed(options.sampler.seed, "prompt", wanted.turn, sample_ + 1);
  const auto prompt = static_cast<std::int64_t>(wanted.prompt.size());
  decode::Request request = {
      .text = wanted.prompt,
      .sampler = {options.sampler, target_.model().config.vocab, seed},
      .limits = {.max_new = options.max_new, .end_tokens = target_.end_tokens()},
      .context =
          static_cast<int>(std::min<std::int64_t>(prompt + options.max_new, target_.context()))};
  if (wanted.top && kind_ != Kind::kCheck) {
    scorer_.emplace(target_.engine(), *wanted.top);
    request.limits.on_row = [this](const engine::Logits& logits, int row) {
      scorer_->read(logits, row);
    };
  }
  if (kind_ != Kind::kPromptScores) request.limits.new_constraint = options.new_constraint;
  switch (kind_) {
    case Kind::kPromptScores:
      // The prompt is an answer to its first token.
      request.text.resize(1);
      request.limits.given.assign(wanted.prompt.begin() + 1, wanted.prompt.end());
      request.limits.max_new = static_cast<int>(prompt);
      request.limits.end_tokens.clear();
      request.context = static_cast<int>(prompt) + 1;
      request.reads_given = true;
      piece_.scores.push_back({.token = wanted.prompt.front()});
      break;
    case Kind::kText: {
      drafter_ = drafter_of(wanted, method(), target_);
      if (!drafter_) break;
      request.new_drafter = [this] { return std::move(drafter_); };
      request.draft_nodes = drafter_->traits().most_nodes;
      drafter_bytes_ = drafter_->text_bytes(decode::Batch::tokens_of(request));
      // What has learned from a prediction is of no use to others.
      if (!wanted.prediction) request.drafter_name = method_key();
      if (!request.drafter_name.empty() && options.new_constraint)
        request.drafter_name += ", with a format";
      break;
    }
    case Kind::kCheck:
      break;
  }
  return request;
}

void ServedText::join(decode::Batch& batch) {
  for_batch();
  id_ = batch.add(std::move(*for_batch_), *this);
  for_batch_.reset();
  drafter_.reset();  // where it takes over an earlier text's
  waited_seconds_ = sample_ == 0 ? seconds_since(request_->submitted) : 0;
}

bool ServedText::take(Token token, const draft::Origin& origin, const sampling::RowScores*) {
  ++tokens_;
  if (scorer_) piece_.scores.push_back(scorer_->score(token));
  if (kind_ == Kind::kPromptScores) return true;
  piece_.tokens.push_back(token);
  piece_.drafters.push_back(origin.drafter == nullptr ? "" : origin.drafter->name());
  return stream_.push(token);
}

void ServedText::end(decode::DecodeResult result) {
  result_ = std::move(result);
  stream_.finish();
}

void ServedText::count_pass(int texts) {
  if (told_tokens_ == 0) return;
  ++passes_;
  texts_of_passes_ += texts;
}

double ServedText::texts_per_pass() const {
  return passes_ == 0 ? 1 : static_cast<double>(texts_of_passes_) / static_cast<double>(passes_);
}

void ServedText::tell() {
  if (kind_ != Kind::kText) return;
  const std::string& text = stream_.text();
  if (piece_.tokens.empty() && told_ == text.size()) return;
  const int added = static_cast<int>(piece_.tokens.size());
  if (told_tokens_ > 0) metrics_.add_latency(seconds_since(last_told_), added);
  last_told_ = steady_clock::now();
  told_tokens_ += added;
  piece_.text = text.substr(told_);
  told_ = text.size();
  request_->listener->on_piece(order_, sample_, std::exchange(piece_, {}));
}

inference::GeneratedText ServedText::result() {
  inference::GeneratedText text;
  text.name = {"prompt", "", order().turn, sample_ + 1};
  text.prompt_tokens = order().prompt;
  text.context = target_.context();
  text.text = stream_.text();
  text.result = std::move(*result_);
  return text;
}

}  // namespace outrider::serve
