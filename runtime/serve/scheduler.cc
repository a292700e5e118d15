#include "runtime/serve/scheduler.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/inference/first_difference.h"
#include "runtime/methods/calibrated.h"
#include "runtime/methods/machine_costs.h"
#include "runtime/serve/share_by_worth.h"
#include "runtime/serve/shown_settings.h"

namespace outrider::serve {
namespace {

using std::chrono::steady_clock;
using Kind = ServedText::Kind;

decode::BatchOptions batch_options(const session::Session& session, const SchedulerOptions& options,
                                   decode::ShareRows share) {
  return {.prompt_rows = session.generation().prefill_chunk,
          .cache_bytes = options.cache_bytes,
          .kept_bytes = options.kept_bytes,
          .share = std::move(share)};
}

}  // namespace

Scheduler::Scheduler(session::Session& session, const SchedulerOptions& options,
                     ServerMetrics& metrics)
    : session_(session),
      options_(options),
      metrics_(metrics),
      methods_(session, options.cache_bytes),
      batch_(
          session.target().engine(),
          batch_options(session, options, [this](std::span<decode::RowShare> sequences, int rows) {
            share_rows(sequences, rows);
          })) {
  costs_ = methods::machine_costs(
      session.for_methods(), *methods::known_artifacts(session.for_methods(), options.artifacts));
  state_.slots.resize(static_cast<std::size_t>(options.parallel));
  thread_ = std::thread([this] { run(); });
}

Scheduler::~Scheduler() { stop(); }

bool Scheduler::submit(std::vector<TextOrder> orders, std::shared_ptr<TextListener> listener) {
  auto request = std::make_shared<ServedRequest>();
  request->orders = std::move(orders);
  request->listener = std::move(listener);
  request->submitted = steady_clock::now();
  {
    const std::lock_guard lock(mutex_);
    if (is_stopping_ || static_cast<int>(waiting_.size()) >= options_.most_waiting) return false;
    waiting_.push_back(std::move(request));
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
  while (take_requests()) {
    batch_.set_bytes_beside(methods_.bytes());
    add_texts();
    cancel_unwanted();
    pass();
    finish_ended();
    publish();
  }
}

/// Begins requests whose texts have a place; waits where there is nothing to do.
/// @return false at the end
bool Scheduler::take_requests() {
  for (;;) {
    std::shared_ptr<ServedRequest> request;
    {
      std::unique_lock lock(mutex_);
      const bool is_idle = running_.empty() && ready_.empty();
      if (is_idle) changed_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
      if (waiting_.empty()) return !is_idle;
      const bool has_place = num_requests() < options_.parallel && may_begin(*waiting_.front());
      if (!has_place && !is_stopping_) return true;
      request = std::move(waiting_.front());
      waiting_.pop_front();
      state_.waiting = static_cast<int>(waiting_.size());
      ++state_.running;  // until publish() counts
    }
    if (begin(request)) continue;
    const std::lock_guard lock(mutex_);
    waiting_.push_front(std::move(request));
    state_.waiting = static_cast<int>(waiting_.size());
    return true;
  }
}

/// Whether a request that waits has the memory that it needs, or wants none any more.
bool Scheduler::may_begin(const ServedRequest& request) const {
  return batch_.size() == 0 || request.needed_bytes <= batch_.room() ||
         request.listener->is_abandoned();
}

/// Prepares the methods of a request.
/// @return false if their weights do not fit beside the texts that are running: the request then says how much it needs
bool Scheduler::prepare_methods(ServedRequest& request) {
  const std::int64_t before = methods_.bytes();
  for (const TextOrder& order : request.orders) {
    const auto [key, method] = methods_.find(*order.method, order.options.sampler.temperature);
    request.methods.push_back(method);
    request.method_keys.push_back(key);
  }
  batch_.set_bytes_beside(methods_.bytes());
  if (batch_.size() == 0 || batch_.room() >= 0 || methods_.bytes() <= before) return true;
  request.needed_bytes = methods_.bytes() - before;
  for (const std::string& key : request.method_keys) methods_.forget(key);
  request.methods.clear();
  request.method_keys.clear();
  batch_.set_bytes_beside(methods_.bytes());
  return false;
}

/// @return false if it has to wait for memory
bool Scheduler::begin(const std::shared_ptr<ServedRequest>& request) {
  if (request->listener->is_abandoned()) {
    publish();
    return true;
  }
  try {
    if (is_stopping_) throw ApiError(503, "the server was stopped before the text had ended");
    if (!prepare_methods(*request)) {
      publish();
      return false;
    }
    std::vector<std::unique_ptr<ServedText>> texts;
    for (int number = 0; number < static_cast<int>(request->orders.size()); ++number) {
      const TextOrder& order = request->orders[static_cast<std::size_t>(number)];
      const auto add = [&](Kind kind, int sample) {
        texts.push_back(std::make_unique<ServedText>(request, kind, number, sample,
                                                     session_.target(), metrics_));
      };
      if (order.scores_prompt && order.prompt.size() > 1) add(Kind::kPromptScores, 0);
      if (order.scores_prompt && order.prompt.size() == 1)
        request->listener->on_prompt_scores(number, {{.token = order.prompt.front()}});
      if (order.options.max_new == 0) continue;
      for (int sample = 0; sample < order.samples; ++sample) add(Kind::kText, sample);
    }
    request->unfinished = static_cast<int>(texts.size());
    request->unscored = static_cast<int>(
        std::count_if(texts.begin(), texts.end(), [](const std::unique_ptr<ServedText>& text) {
          return text->kind() == Kind::kPromptScores;
        }));
    if (texts.empty()) request->listener->on_done();
    std::move(texts.begin(), texts.end(), std::back_inserter(ready_));
  } catch (...) {
    fail(*request, std::current_exception());
  }
  publish();
  return true;
}

/// Requests that have begun and are not answered.
int Scheduler::num_requests() const {
  std::set<const ServedRequest*> requests;
  for (const std::unique_ptr<ServedText>& text : running_)
    if (!text->request().is_over) requests.insert(&text->request());
  for (const std::unique_ptr<ServedText>& text : ready_)
    if (!text->request().is_over) requests.insert(&text->request());
  return static_cast<int>(requests.size());
}

/// The text that joins next: of the request with the fewest texts in the batch, so that one with many does not keep
/// the others waiting; of these the first. A text waits until the scores of its request's prompts are there.
Scheduler::Ready Scheduler::find_next() {
  std::erase_if(ready_, [](const std::unique_ptr<ServedText>& text) {
    ServedRequest& request = text->request();
    request.is_over = request.is_over || request.listener->is_abandoned();
    return request.is_over;
  });
  auto next = ready_.end();
  std::ptrdiff_t fewest = 0;
  for (auto text = ready_.begin(); text != ready_.end(); ++text) {
    const ServedRequest* const request = &(*text)->request();
    if ((*text)->kind() == Kind::kText && request->unscored > 0) continue;
    const auto running = std::count_if(running_.begin(), running_.end(), [&](const auto& other) {
      return &other->request() == request;
    });
    if (next != ready_.end() && running >= fewest) continue;
    next = text;
    fewest = running;
  }
  return next;
}

/// Adds texts as long as there are places, and memory for their keys and values.
void Scheduler::add_texts() {
  while (static_cast<int>(running_.size()) < options_.parallel) {
    const Ready next = find_next();
    if (next == ready_.end()) return;
    ServedText& text = **next;
    try {
      const int tokens = decode::Batch::tokens_of(text.for_batch());
      if (!batch_.has_room(tokens, text.drafter_bytes())) return;
      text.join(batch_);
      running_.push_back(std::move(*next));
    } catch (...) {
      fail(text.request(), std::current_exception());
    }
    ready_.erase(next);
  }
}

void Scheduler::cancel_unwanted() {
  for (const std::unique_ptr<ServedText>& text : running_) {
    ServedRequest& request = text->request();
    if (is_stopping_ && !request.is_over)
      fail(request, std::make_exception_ptr(
                        ApiError(503, "the server was stopped before the text had ended")));
    if (request.listener->is_abandoned()) request.is_over = true;
    if (request.is_over) batch_.cancel(text->id());
  }
}

void Scheduler::pass() {
  try {
    batch_.step();
    session_.target().model().check_unchanged();
  } catch (...) {  // the pass itself: nobody's text can go on
    for (const std::unique_ptr<ServedText>& text : running_) {
      if (!text->request().is_over) fail(text->request(), std::current_exception());
      batch_.cancel(text->id());
    }
  }
  for (const std::unique_ptr<ServedText>& text : running_) {
    if (text->request().is_over || text->error()) continue;
    text->count_pass(static_cast<int>(running_.size()));
    text->tell();
  }
}

void Scheduler::finish_ended() {
  for (auto text = running_.begin(); text != running_.end();) {
    if (!(*text)->has_ended()) {
      ++text;
      continue;
    }
    const std::unique_ptr<ServedText> ended = std::move(*text);
    text = running_.erase(text);
    ServedRequest& request = ended->request();
    if (ended->error() && !request.is_over) fail(request, ended->error());
    if (!ended->error()) finish(*ended);
  }
}

void Scheduler::finish(ServedText& text) {
  ServedRequest& request = text.request();
  TextListener& listener = *request.listener;
  switch (text.kind()) {
    case Kind::kPromptScores:
      --request.unscored;
      if (!request.is_over) listener.on_prompt_scores(text.order_number(), text.prompt_scores());
      break;
    case Kind::kText: {
      FinishedText finished;
      finished.text = text.result();
      finished.method = text.method().name();
      finished.settings = std::make_shared<nlohmann::ordered_json>(shown_settings(text.method()));
      finished.waited_seconds = text.waited_seconds();
      finished.texts_per_pass = text.texts_per_pass();
      finished.plain_seconds = plain_seconds(finished);
      metrics_.add(finished);
      past_[text.method().name()].add(finished.text.result.stats);
      if (request.is_over) return;
      if (text.order().check) {
        auto check =
            std::make_unique<ServedText>(text.shared_request(), Kind::kCheck, text.order_number(),
                                         text.sample(), session_.target(), metrics_);
        check->compared = std::move(finished);
        ready_.push_front(std::move(check));
        return;
      }
      listener.on_finished(text.order_number(), text.sample(), std::move(finished));
      break;
    }
    case Kind::kCheck: {
      if (request.is_over) return;
      FinishedText finished = std::move(*text.compared);
      const auto difference =
          inference::first_difference(finished.text, text.result(), session_.target().tokenizer());
      finished.is_checked = true;
      if (difference)
        finished.difference = fmt::format("{} differs: {} gave {}, ar gives {}", difference->what,
                                          finished.method, difference->found, difference->expected);
      listener.on_finished(text.order_number(), text.sample(), std::move(finished));
      break;
    }
  }
  if (request.is_over || --request.unfinished > 0) return;
  request.is_over = true;
  publish();  // before the client can ask what the server does now
  listener.on_done();
}

/// Answers a request with what went wrong; its other texts end before their next pass.
void Scheduler::fail(ServedRequest& request, const std::exception_ptr& error) {
  if (std::exchange(request.is_over, true)) return;
  TextListener& listener = *request.listener;
  try {
    std::rethrow_exception(error);
  } catch (const ApiError& known) {
    listener.on_failed(known);
  } catch (const InputError& mistake) {  // settings that do not fit the model, or lack an artifact
    listener.on_failed({400, mistake.what()});
  } catch (const std::bad_alloc&) {
    listener.on_failed({503, "not enough memory for this request"});
  } catch (const std::exception& unknown) {
    print_log("serve: a request failed: {}\n", unknown.what());
    listener.on_failed({500, "the request failed; the server's log says why"});
  }
}

/// Says how many rows of the next pass the sequences may draft, by the costs of passes over so many texts as long as
/// these.
void Scheduler::share_rows(std::span<decode::RowShare> sequences, int rows) {
  if (!costs_ || running_.empty()) return decode::share_rows_evenly(sequences, rows);
  std::int64_t tokens = 0;
  for (const std::unique_ptr<ServedText>& text : running_)
    tokens += std::ssize(text->order().prompt) + text->tokens();
  const int texts = static_cast<int>(running_.size());
  const int context = static_cast<int>(tokens / texts);
  past_of_.clear();
  for (const decode::RowShare& one : sequences) {
    const auto text = std::find_if(running_.begin(), running_.end(),
                                   [&](const auto& other) { return other->id() == one.sequence; });
    past_of_.push_back(&past_[text == running_.end() ? "" : (*text)->method().name()]);
  }
  share_by_worth(sequences, past_of_, texts, rows, [&](int width) {
    return costs_->seconds({cost::Shape::kTree, width, context, texts});
  });
}

/// A text's part of plain decoding: passes of one row of as many texts as shared its passes, with a context of its middle.
std::optional<double> Scheduler::plain_seconds(const FinishedText& finished) const {
  const inference::GeneratedText& text = finished.text;
  if (!costs_ || text.result.tokens.empty()) return std::nullopt;
  const int passes = static_cast<int>(text.result.tokens.size()) - 1;
  const int context = static_cast<int>(text.prompt_tokens.size()) + passes / 2;
  const int texts = std::max(1, static_cast<int>(std::lround(finished.texts_per_pass)));
  return passes * costs_->seconds({cost::Shape::kChain, texts, context, texts}) / texts;
}

/// Tells others what it does now.
void Scheduler::publish() {
  const std::lock_guard lock(mutex_);
  state_.running = static_cast<int>(running_.size() + ready_.size());
  state_.cache_bytes = batch_.bytes_in_use();
  auto slot = state_.slots.begin();
  for (const std::unique_ptr<ServedText>& text : running_) {
    if (slot == state_.slots.end()) break;
    *slot++ = {.is_processing = true,
               .method = text->method().name(),
               .prompt_tokens = static_cast<int>(text->order().prompt.size()),
               .generated_tokens = text->tokens()};
  }
  std::fill(slot, state_.slots.end(), Slot());
  if (state_.running == 0) changed_.notify_all();
}

}  // namespace outrider::serve
