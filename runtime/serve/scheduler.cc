#include "runtime/serve/scheduler.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/draft/copy/predicted_text.h"
#include "runtime/draft/copy_first.h"
#include "runtime/engine/forward_text.h"
#include "runtime/inference/first_difference.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/serve/shown_settings.h"
#include "runtime/serve/token_scorer.h"

namespace outrider::serve {
namespace {

using std::chrono::steady_clock;

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

std::unique_ptr<draft::Drafter> drafter_of(const TextOrder& order,
                                           const methods::PreparedMethod& method) {
  auto drafter = method.new_drafter();
  if (!order.prediction) return drafter;
  auto predicted = std::make_unique<draft::PredictedText>(*order.prediction,
                                                          static_cast<int>(order.prompt.size()));
  if (!drafter) return predicted;
  if (drafter->verification() != draft::Verification::kCoupled)
    throw ApiError(400, "prediction: not with verify \"rejection\"", "prediction", "unsupported");
  return std::make_unique<draft::CopyFirst>(std::move(predicted), std::move(drafter));
}

}  // namespace

/// The text of one sample while it is generated: collects what a pass added, and tells the listener before
/// the next one.
class Scheduler::TextRun {
 public:
  TextRun(Scheduler& scheduler, const Request& request, int order, int sample, TokenScorer* scorer)
      : scheduler_(scheduler), request_(request), order_(order), sample_(sample), scorer_(scorer) {}

  void add(const inference::TextSoFar& so_far) {
    text_ = so_far.text;
    if (so_far.ended) return flush();
    piece_.tokens.push_back(so_far.token);
    const draft::Drafter* drafter = so_far.origin->drafter;
    piece_.drafters.push_back(drafter == nullptr ? "" : drafter->name());
    if (scorer_ != nullptr) piece_.scores.push_back(scorer_->score(so_far.token));
  }

  void flush() {
    if (piece_.tokens.empty() && told_ == text_.size()) return;
    const int tokens = static_cast<int>(piece_.tokens.size());
    if (told_tokens_ > 0) scheduler_.metrics_.add_latency(seconds_since(last_), tokens);
    last_ = steady_clock::now();
    told_tokens_ += tokens;
    piece_.text = text_.substr(told_);
    told_ = text_.size();
    request_.listener->on_piece(order_, sample_, std::exchange(piece_, {}));
    const std::lock_guard lock(scheduler_.mutex_);
    scheduler_.state_.generated_tokens = told_tokens_;
  }

 private:
  Scheduler& scheduler_;
  const Request& request_;
  int order_, sample_;
  TokenScorer* scorer_;
  TextPiece piece_;
  std::string text_;
  std::size_t told_ = 0;  // bytes of it
  int told_tokens_ = 0;
  steady_clock::time_point last_;
};

Scheduler::Scheduler(session::Session& session, const Options& options, ServerMetrics& metrics)
    : session_(session), options_(options), metrics_(metrics), methods_(session) {
  costs_ = methods::machine_costs(session.for_methods(),
                                  *methods::known_artifacts(session.for_methods(), ""));
  thread_ = std::thread([this] { run(); });
}

Scheduler::~Scheduler() { stop(); }

bool Scheduler::submit(std::vector<TextOrder> orders, std::shared_ptr<TextListener> listener) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || static_cast<int>(waiting_.size()) >= options_.most_waiting) return false;
    waiting_.push_back({std::move(orders), std::move(listener), steady_clock::now()});
    state_.waiting = static_cast<int>(waiting_.size());
  }
  changed_.notify_all();
  return true;
}

Scheduler::State Scheduler::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool Scheduler::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience,
                           [this] { return state_.running == 0 && waiting_.empty(); });
}

void Scheduler::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Scheduler::run() {
  for (;;) {
    Request request;
    {
      std::unique_lock lock(mutex_);
      state_ = {.waiting = static_cast<int>(waiting_.size())};
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      request = std::move(waiting_.front());
      waiting_.pop_front();
      state_ = {.running = 1, .waiting = static_cast<int>(waiting_.size())};
    }
    answer(request);
  }
}

void Scheduler::answer(const Request& request) {
  try {
    if (is_stopping_) throw ApiError(503, "the server is shutting down");
    for (int order = 0; order < static_cast<int>(request.orders.size()); ++order)
      generate(request, order);
    request.listener->on_done();
  } catch (const ApiError& error) {
    request.listener->on_failed(error);
  } catch (const InputError& error) {  // settings that do not fit the model, or lack an artifact
    request.listener->on_failed({400, error.what()});
  } catch (const std::bad_alloc&) {
    request.listener->on_failed({503, "not enough memory for this request"});
  } catch (const std::exception& error) {
    print_log("serve: a request failed: {}\n", error.what());
    request.listener->on_failed({500, "the request failed; the server's log says why"});
  }
}

void Scheduler::generate(const Request& request, int number) {
  const TextOrder& order = request.orders[static_cast<std::size_t>(number)];
  TextListener& listener = *request.listener;
  const auto is_unwanted = [&] { return is_stopping_ || listener.is_abandoned(); };
  // Nobody is told of the rest of an abandoned request.
  const auto check_goes_on = [&] {
    if (is_stopping_) throw ApiError(503, "the server was stopped before the text had ended");
    return !listener.is_abandoned();
  };
  if (!check_goes_on()) return;
  const double waited = seconds_since(request.submitted);
  if (order.scores_prompt) listener.on_prompt_scores(number, score_prompt(order, listener));
  if (order.options.max_new == 0) return;

  inference::Target& target = session_.target();
  const int context = static_cast<int>(
      std::min<std::int64_t>(std::ssize(order.prompt) + order.options.max_new, target.context()));
  const methods::PreparedMethod method =
      methods_.find(*order.method, order.options.sampler.temperature);
  {
    const std::lock_guard lock(mutex_);
    state_.method = method.name();
    state_.prompt_tokens = static_cast<int>(order.prompt.size());
  }
  std::optional<TokenScorer> scorer;
  if (order.top) scorer.emplace(target.engine(), *order.top);
  TextRun* current = nullptr;
  inference::GenerationOptions options = order.options;
  options.interrupted = [&] {
    if (current != nullptr) current->flush();
    return is_unwanted();
  };
  if (scorer)
    options.on_row = [&](const engine::Logits& logits, int row) { scorer->read(logits, row); };
  inference::Generation generation(target, options, context, drafter_of(order, method));
  for (int sample = 0; sample < order.samples; ++sample) {
    // Named as `runtime decode -p` names texts, whose noise is the same then.
    const inference::TextName name = {"prompt", "", order.turn, sample + 1};
    TextRun run(*this, request, number, sample, scorer ? &*scorer : nullptr);
    current = &run;
    FinishedText finished;
    finished.text = generation.generate(
        name, order.prompt, [&](const inference::TextSoFar& so_far) { run.add(so_far); });
    current = nullptr;
    finished.method = method.name();
    finished.settings = std::make_shared<nlohmann::ordered_json>(shown_settings(method));
    finished.waited_seconds = sample == 0 ? waited : 0;
    finished.plain_seconds = plain_seconds(finished.text);
    if (order.check && finished.text.result.finish != decode::FinishReason::kInterrupted) {
      inference::GenerationOptions plain = order.options;
      plain.interrupted = is_unwanted;
      inference::Generation plainly(target, plain, context, nullptr);
      const auto difference = inference::first_difference(
          finished.text, plainly.generate(name, order.prompt), target.tokenizer());
      finished.is_checked = !is_unwanted();
      if (difference)
        finished.difference = fmt::format("{} differs: {} gave {}, ar gives {}", difference->what,
                                          method.name(), difference->found, difference->expected);
    }
    metrics_.add(finished);
    if (!check_goes_on()) return;
    listener.on_finished(number, sample, std::move(finished));
  }
}

/// How likely each token of the prompt was, by the rows of the tokens before them.
std::vector<ScoredToken> Scheduler::score_prompt(const TextOrder& order,
                                                 const TextListener& listener) {
  std::vector<ScoredToken> scores = {{.token = order.prompt.front()}};
  TokenScorer scorer(session_.target().engine(), order.top.value_or(0));
  const engine::TextOptions reading = {
      .rows = order.options.prefill_chunk, .logits_from = 0, .go_on = [&] {
        return !is_stopping_ && !listener.is_abandoned();
      }};
  engine::forward_text(session_.target().engine(), order.prompt, reading,
                       [&](const engine::Pass& pass, int first) {
                         for (int row = 0; row < static_cast<int>(pass.rows.size()); ++row) {
                           const auto next = static_cast<std::size_t>(first + row + 1);
                           if (next == order.prompt.size()) break;
                           scorer.read(pass.logits, row);
                           scores.push_back(scorer.score(order.prompt[next]));
                         }
                       });
  return scores;
}

/// Passes of one row, as long as the text was in their middle.
std::optional<double> Scheduler::plain_seconds(const inference::GeneratedText& text) const {
  if (!costs_ || text.result.tokens.empty()) return std::nullopt;
  const int passes = static_cast<int>(text.result.tokens.size()) - 1;
  const int context = static_cast<int>(text.prompt_tokens.size()) + passes / 2;
  return passes * costs_->seconds({cost::Shape::kChain, 1, context});
}

}  // namespace outrider::serve
