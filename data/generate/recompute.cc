#include "data/generate/recompute.h"

#include <cstring>
#include <memory>

#include "data/generate/trace_run.h"

namespace outrider::data {
namespace {

constexpr int kBatch = 32;

/// A conversation of one turn, whose prompt is given as tokens.
class RecordedTurn : public Conversation {
 public:
  RecordedTurn(const Trace& recorded, const Recipe& recipe, int context, Trace& result)
      : recorded_(recorded), recipe_(recipe), context_(context), result_(result) {}

  int context() const override { return context_; }

  std::optional<Turn> next() override {
    if (asked_) return std::nullopt;
    asked_ = true;
    Turn turn;
    turn.trace.id = recorded_.id;
    turn.trace.task = recorded_.task;
    turn.trace.turn = recorded_.turn;
    turn.trace.sample = recorded_.sample;
    turn.trace.temperature = recorded_.temperature;
    turn.trace.sequence_seed = recorded_.sequence_seed;
    turn.trace.prompt_tokens = recorded_.prompt_tokens;
    turn.sampler = recipe_.sampler;
    turn.sampler.temperature = recorded_.temperature;
    if (recipe_.given_answers) turn.given_answer = recorded_.output_tokens;
    return turn;
  }

  void answered(Trace trace) override { result_ = std::move(trace); }

 private:
  const Trace& recorded_;
  const Recipe& recipe_;
  int context_;
  Trace& result_;
  bool asked_ = false;
};

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

std::optional<std::vector<Trace>> recompute(inference::Target& target, const Recipe& recipe,
                                            std::span<const Trace> recorded,
                                            const std::function<bool()>& interrupted) {
  sampling::check(recipe.sampler, target.model().config.vocab);
  BatchOptions options = batch_options(target, recipe);
  options.batch = kBatch;
  options.limits.interrupted = interrupted;

  std::vector<Trace> results(recorded.size());
  std::size_t next = 0;
  BatchGenerator generator(target.engine(), options);
  const bool finished = generator.run([&]() -> std::unique_ptr<Conversation> {
    if (next == recorded.size()) return nullptr;
    const std::size_t i = next++;
    return std::make_unique<RecordedTurn>(recorded[i], recipe,
                                          recorded_context(recorded[i], target), results[i]);
  });
  if (!finished) return std::nullopt;
  return results;
}

int recorded_context(const Trace& recorded, const inference::Target& target) {
  if (recorded.finish != decode::FinishReason::kContext) return target.context();
  return static_cast<int>(recorded.prompt_tokens.size() + recorded.output_tokens.size());
}

std::string first_difference(const Trace& a, const Trace& b) {
  if (!same(a.output_tokens, b.output_tokens)) return "/output/tokens";
  if (a.finish != b.finish) return "/trace/finish";
  if (!same(a.loss_mask, b.loss_mask)) return "/output/loss_mask";
  if (!same(a.in_loop, b.in_loop)) return "/output/in_loop";
  if (!same(a.entropies, b.entropies)) return "/scores/entropy";
  if (!same(a.tail_masses, b.tail_masses)) return "/scores/tail_mass";
  if (!same(a.top_ids, b.top_ids)) return "/scores/top_ids";
  if (!same(a.top_log_probs, b.top_log_probs)) return "/scores/top_log_probs";
  if (a.states.size() != b.states.size()) return "/states";
  for (std::size_t i = 0; i < a.states.size(); ++i)
    if (a.states[i].layer != b.states[i].layer || !same(a.states[i].values, b.states[i].values))
      return "/states";
  return {};
}

}  // namespace outrider::data
