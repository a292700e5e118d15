#include "runtime/serve/server_metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace outrider::serve {
namespace {

/// Lines of one metric: its help, its type, and its samples.
class Page {
 public:
  explicit Page(const std::string& prefix) : prefix_(prefix) {}

  void begin(const char* name, const char* type, const char* help) {
    name_ = fmt::format("{}_{}", prefix_, name);
    text += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name_, help, name_, type);
  }
  template <typename Number>
  void sample(const std::string& labels, Number value, const char* suffix = "") {
    text += labels.empty() ? fmt::format("{}{} {}\n", name_, suffix, value)
                           : fmt::format("{}{}{{{}}} {}\n", name_, suffix, labels, value);
  }
  template <typename Number>
  void one(const char* name, const char* type, const char* help, Number value) {
    begin(name, type, help);
    sample("", value);
  }

  std::string text;

 private:
  std::string prefix_;
  std::string name_;
};

constexpr std::array<const char*, 4> kParts = {"draft", "verify", "sample", "other"};

}  // namespace

const char* finish_of(const FinishedText& text) {
  switch (text.text.result.finish) {
    case decode::FinishReason::kStop:
      return "stop";
    case decode::FinishReason::kInterrupted:
      return "interrupted";
    default:
      return "length";
  }
}

void ServerMetrics::Histogram::add(double value, std::int64_t times) {
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), value);
  counts[static_cast<std::size_t>(bound - bounds.begin())] += times;
  sum += value * static_cast<double>(times);
  count += times;
}

void ServerMetrics::add(const FinishedText& text) {
  const decode::DecodeResult& result = text.text.result;
  const decode::DecodeStats& stats = result.stats;
  const std::lock_guard lock(mutex_);
  const auto prompt = static_cast<std::int64_t>(text.text.prompt_tokens.size());
  prompt_tokens_ += prompt;
  cached_tokens_ += prompt - std::min<std::int64_t>(prompt, stats.prefilled_rows);
  generated_tokens_ += static_cast<std::int64_t>(result.tokens.size());
  prompt_seconds_ += stats.prefill_seconds;
  generation_seconds_ += stats.decode_seconds;
  passes_ += stats.passes;
  ++finished_[finish_of(text)];
  if (!result.tokens.empty()) first_token_.add(text.waited_seconds + stats.prefill_seconds);
  OfMethod& method = methods_[text.method];
  method.drafted += stats.drafted;
  method.accepted += stats.accepted;
  for (const decode::PassDraft& pass : stats.by_pass) {
    pass_rows_.add(1 + pass.drafted);
    if (pass.drafted > 0) ++method.drafts;
    const auto accepted = static_cast<std::size_t>(pass.accepted);
    if (method.accepted_at.size() < accepted) method.accepted_at.resize(accepted);
    for (std::size_t position = 0; position < accepted; ++position) ++method.accepted_at[position];
  }
  const double own = decode::own_seconds(stats);
  const std::array<double, 4> seconds = {decode::drafting_seconds(stats), stats.verify_seconds,
                                         stats.sample_seconds,
                                         std::max(0.0, stats.decode_seconds - own)};
  for (std::size_t part = 0; part < seconds.size(); ++part) method.seconds[part] += seconds[part];
  if (text.plain_seconds) method.saved_seconds += *text.plain_seconds - own;
}

void ServerMetrics::add_latency(double seconds, int tokens) {
  if (tokens == 0) return;
  const std::lock_guard lock(mutex_);
  between_tokens_.add(seconds / tokens, tokens);
}

void ServerMetrics::add_failure(int status) {
  const std::lock_guard lock(mutex_);
  ++failures_[status];
}

std::string ServerMetrics::text(const std::string& prefix, const Load& load) const {
  const std::lock_guard lock(mutex_);
  Page page(prefix);
  page.one("prompt_tokens_total", "counter", "Tokens of prompts.", prompt_tokens_);
  page.one("generation_tokens_total", "counter", "Tokens generated.", generated_tokens_);
  page.one("prompt_seconds_total", "counter", "Seconds of reading prompts.", prompt_seconds_);
  page.one("generation_seconds_total", "counter", "Seconds of generating.", generation_seconds_);
  page.one("requests_running", "gauge", "Texts that are generated now.", load.running);
  page.one("requests_waiting", "gauge", "Requests that wait.", load.waiting);
  page.one("kv_cache_bytes", "gauge", "Bytes of keys and values, and of drafters.",
           load.cache_bytes);
  const auto most = static_cast<double>(load.most_cache_bytes);
  page.one("kv_cache_usage_perc", "gauge", "Their share of what they may take, from 0 to 1.",
           most > 0 ? static_cast<double>(load.cache_bytes) / most : 0);
  page.begin("request_success_total", "counter", "Texts that ended, by reason.");
  for (const char* reason : {"stop", "length", "interrupted"}) {
    const auto found = finished_.find(reason);
    page.sample(fmt::format("finished_reason=\"{}\"", reason),
                found == finished_.end() ? 0 : found->second);
  }
  page.begin("request_failure_total", "counter", "Requests answered by an error, by its status.");
  for (const auto& [status, count] : failures_)
    page.sample(fmt::format("status=\"{}\"", status), count);
  page.one("prefix_cache_queries_total", "counter",
           "Tokens of prompts that were looked for in caches.", prompt_tokens_);
  page.one("prefix_cache_hits_total", "counter", "Tokens of prompts that a cache held.",
           cached_tokens_);
  page.one("passes_total", "counter", "Passes of the target after prompts.", passes_);
  const auto histogram = [&](const char* name, const char* help, const Histogram& of) {
    page.begin(name, "histogram", help);
    std::int64_t below = 0;
    for (std::size_t i = 0; i < of.bounds.size(); ++i) {
      below += of.counts[i];
      page.sample(fmt::format("le=\"{}\"", of.bounds[i]), below, "_bucket");
    }
    page.sample("le=\"+Inf\"", of.count, "_bucket");
    page.sample("", of.sum, "_sum");
    page.sample("", of.count, "_count");
  };
  histogram("time_to_first_token_seconds", "From the request to its first token.", first_token_);
  histogram("inter_token_latency_seconds", "Between tokens.", between_tokens_);
  histogram("pass_rows", "Rows of one sequence in a pass.", pass_rows_);
  const auto by_method = [&](const char* name, const char* help, auto value) {
    page.begin(name, "counter", help);
    for (const auto& [method, of] : methods_)
      page.sample(fmt::format("method=\"{}\"", method), value(of));
  };
  by_method("spec_decode_num_drafts_total", "Passes with a draft.",
            [](const OfMethod& of) { return of.drafts; });
  by_method("spec_decode_num_draft_tokens_total", "Drafted tokens.",
            [](const OfMethod& of) { return of.drafted; });
  by_method("spec_decode_num_accepted_tokens_total", "Drafted tokens that became text.",
            [](const OfMethod& of) { return of.accepted; });
  page.begin("spec_decode_num_accepted_tokens_per_pos_total", "counter",
             "The same by their position in the draft.");
  for (const auto& [method, of] : methods_)
    for (std::size_t position = 0; position < of.accepted_at.size(); ++position)
      page.sample(fmt::format("method=\"{}\",position=\"{}\"", method, position),
                  of.accepted_at[position]);
  page.begin("speculation_seconds_total", "counter", "Seconds of generating, by part.");
  for (const auto& [method, of] : methods_)
    for (std::size_t part = 0; part < kParts.size(); ++part)
      page.sample(fmt::format("method=\"{}\",part=\"{}\"", method, kParts[part]), of.seconds[part]);
  // It falls where drafts cost more than they save, so it is no counter.
  page.begin("speculation_saved_seconds", "gauge",
             "Seconds saved over plain decoding, as far as the costs of this machine are known.");
  for (const auto& [method, of] : methods_)
    page.sample(fmt::format("method=\"{}\"", method), of.saved_seconds);
  return page.text;
}

}  // namespace outrider::serve
