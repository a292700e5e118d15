#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/generate/batch_generator.h"
#include "runtime/base/stopwatch.h"
#include "runtime/decode/decode_loop.h"
#include "tests/device_check/check.h"
#include "tests/device_check/random_model.h"

namespace outrider::device_check {
namespace {

using sampling::SamplerOptions;

/// How much is decoded of one model.
struct Work {
  int prompt;                // tokens
  int tokens;                // after it
  std::vector<int> at_once;  // conversations, of twice as many
  int tokens_of_each;
  bool compared;  // with the processor, at the fewest at once
};

std::vector<Token> prompt_of(int tokens, int number) {
  std::vector<Token> prompt;
  for (int i = 0; i < tokens; ++i) prompt.push_back((7919 * i + 104729 * number + 17) % 256);
  return prompt;
}

decode::DecodeResult decode_plainly(engine::Engine& engine, const SamplerOptions& options,
                                    const Work& work) {
  decode::Decoder decoder(engine, work.prompt + work.tokens);
  return decoder.decode(prompt_of(work.prompt, 0),
                        sampling::Sampler(options, engine.config().vocab, 7), nullptr,
                        {.max_new = work.tokens});
}

/// One answer.
class Conversation final : public data::Conversation {
 public:
  Conversation(const Work& work, int number, data::Trace& to)
      : context_(work.prompt + work.tokens_of_each), to_(to) {
    turn_.emplace();
    turn_->trace.prompt_tokens = prompt_of(work.prompt, number);
    turn_->trace.sequence_seed = static_cast<std::uint64_t>(number);
    turn_->sampler.temperature = number % 2 == 0 ? 0 : 1;
  }
  int context() const override { return context_; }
  std::optional<data::Turn> next() override { return std::exchange(turn_, std::nullopt); }
  void answered(data::Trace trace) override { to_ = std::move(trace); }

 private:
  int context_;
  data::Trace& to_;
  std::optional<data::Turn> turn_;
};

/// The traces of a run, and what it took.
struct Traces {
  std::vector<data::Trace> traces;
  decode::BatchStats stats;
  double seconds = 0;
};
Traces trace(engine::Engine& engine, const Work& work, int at_once) {
  Traces made;
  const int conversations = 2 * at_once;
  made.traces.resize(static_cast<std::size_t>(conversations));
  data::BatchOptions options;
  options.batch = at_once;
  options.limits.max_new = work.tokens_of_each;
  data::BatchGenerator generator(engine, options);
  int next = 0;
  const Stopwatch clock;
  generator.run([&]() -> std::unique_ptr<data::Conversation> {
    if (next == conversations) return nullptr;
    const int number = next++;
    return std::make_unique<Conversation>(work, number,
                                          made.traces[static_cast<std::size_t>(number)]);
  });
  made.seconds = clock.seconds();
  made.stats = generator.stats();
  return made;
}

bool are_equal(const data::Trace& a, const data::Trace& b) {
  return a.output_tokens == b.output_tokens && a.top_ids == b.top_ids &&
         a.top_log_probs == b.top_log_probs && a.entropies == b.entropies &&
         a.tail_masses == b.tail_masses;
}

/// One model.
class Decoding {
 public:
  Decoding(Check& check, const ModelShape& shape, const Work& work)
      : check_(check), name_(shape.name), work_(work), model_(random_model(shape, 1)) {
    engine_ = check.engine(model_);
    if (work.compared)
      expected_ = engine::make_engine(model_, {.device = {engine::DeviceChoice::Kind::kCpu}});
  }

  /// One text, token by token, each chosen on the device.
  void measure_text(const char* what, const SamplerOptions& options) {
    decode_plainly(*engine_, options, work_);  // passes are recorded
    const decode::DecodeResult found = decode_plainly(*engine_, options, work_);
    const decode::DecodeStats& stats = found.stats;
    const int tokens = static_cast<int>(found.tokens.size()) - 1;  // the first one is the prefill's
    check_.found["decoding"].push_back({{"model", name_},
                                        {"what", what},
                                        {"prompt", work_.prompt},
                                        {"tokens", tokens},
                                        {"tokens_per_second", tokens / stats.decode_seconds},
                                        {"pass_us", stats.verify_seconds / tokens * 1e6},
                                        {"choice_us", stats.sample_seconds / tokens * 1e6}});
    Check::say(
        fmt::format("{}, plain, {}: {:.0f} tokens/s; of each token {:.0f} us pass, {:.0f} us "
                    "choice",
                    name_, what, tokens / stats.decode_seconds, stats.verify_seconds / tokens * 1e6,
                    stats.sample_seconds / tokens * 1e6));
    if (tokens + 1 != work_.tokens) check_.fail(fmt::format("{}: the text is short", name_));
    if (expected_ != nullptr && decode_plainly(*expected_, options, work_).tokens != found.tokens)
      check_.fail(fmt::format("decoding, {}, {}: the text is not the processor's", name_, what));
  }

  /// Many texts at once, with the distribution of every token.
  void measure_traces() {
    for (const int at_once : work_.at_once)
      measure_traces(at_once, expected_ != nullptr && at_once == work_.at_once.front());
  }

 private:
  void measure_traces(int at_once, bool compared) {
    trace(*engine_, work_, at_once);
    const Traces found = trace(*engine_, work_, at_once);
    const double rate = static_cast<double>(found.stats.output_tokens) / found.seconds;
    int equal = 0;
    const int conversations = 2 * at_once;
    if (compared) {
      const Traces expected = trace(*expected_, work_, at_once);
      for (std::size_t i = 0; i < found.traces.size(); ++i)
        equal += are_equal(found.traces[i], expected.traces[i]) ? 1 : 0;
      if (equal != conversations)
        check_.fail(
            fmt::format("traces, {}: {} of {} equal the processor's", name_, equal, conversations));
    }
    check_.found["traces"].push_back({{"model", name_},
                                      {"at_once", at_once},
                                      {"tokens", found.stats.output_tokens},
                                      {"tokens_per_second", rate},
                                      {"forward_seconds", found.stats.forward_seconds},
                                      {"choose_seconds", found.stats.choose_seconds},
                                      {"seconds", found.seconds},
                                      {"equal", compared ? Json(equal) : Json(nullptr)}});
    Check::say(fmt::format(
        "{}, traces, {} at once: {:.0f} tokens/s; passes {:.0f}%, choices and "
        "scores {:.0f}%{}",
        name_, at_once, rate, 100 * found.stats.forward_seconds / found.seconds,
        100 * found.stats.choose_seconds / found.seconds,
        compared ? fmt::format("; {} of {} equal the processor's", equal, conversations) : ""));
  }

  Check& check_;
  std::string name_;
  Work work_;
  model::Model model_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<engine::Engine> expected_;  // null: not compared
};

}  // namespace

void measure_decoding(Check& check) {
  const auto measure = [&](const ModelShape& shape, const Work& work) {
    Decoding decoding(check, shape, work);
    decoding.measure_text("greedy", {});
    decoding.measure_text("T 0.8, top-k 40, top-p 0.95",
                          {.temperature = 0.8, .top_k = 40, .top_p = 0.95});
    decoding.measure_traces();
  };
  if (check.settings.tiny) return measure(tiny_shape(), {4, 4, {2}, 3, true});
  measure(shape_of_135m(), {32, 128, {64, 256, 512}, 64, true});
  measure(shape_of_8b(), {32, 64, {64}, 32, false});
}

}  // namespace outrider::device_check
