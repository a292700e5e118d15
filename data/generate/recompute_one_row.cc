// Recorded traces again, without the batch generator.

#include <algorithm>

#include "data/generate/recompute.h"
#include "data/loops.h"
#include "runtime/sampling/row_scorer.h"
#include "runtime/sampling/sampler.h"

namespace outrider::data {
namespace {

using decode::FinishReason;

/// One trace, decoded by passes of one row.
class OneRowTrace {
 public:
  OneRowTrace(inference::Target& target, const Recipe& recipe, const Trace& recorded)
      : target_(target),
        recipe_(recipe),
        given_(recipe.given_answers ? recorded.output_tokens : std::vector<Token>{}),
        context_(recorded_context(recorded, target)),
        scorer_(recipe.top, target.model().config.vocab, target.engine().score_kernels()) {
    trace_.id = recorded.id;
    trace_.task = recorded.task;
    trace_.turn = recorded.turn;
    trace_.sample = recorded.sample;
    trace_.temperature = recorded.temperature;
    trace_.sequence_seed = recorded.sequence_seed;
    trace_.prompt_tokens = recorded.prompt_tokens;
    for (const int layer : recipe.layers) trace_.states.push_back({layer, {}});
  }

  /// @return false if interrupted
  bool decode(const std::function<bool()>& interrupted) {
    sampling::SamplerOptions options = recipe_.sampler;
    options.temperature = trace_.temperature;
    sampling::Sampler sampler(options, target_.model().config.vocab, trace_.sequence_seed);
    sampling::TokenCounts counts(trace_.prompt_tokens);
    const int prompt = static_cast<int>(trace_.prompt_tokens.size());
    const auto cache =
        target_.engine().make_cache(std::min<int>(context_, prompt + recipe_.max_new));
    engine::Pass pass;
    pass.sequences = {cache.get()};
    pass.request.layers = recipe_.layers;
    Token token = trace_.prompt_tokens[0];
    for (int position = 0; !(interrupted && interrupted()); ++position) {
      const bool predicts = position + 1 >= prompt;
      pass.rows.clear();
      pass.add_chain(0, std::span(&token, 1), predicts);
      target_.engine().forward(pass);
      cache->commit_first(1);
      add_states(pass);
      if (!predicts) {
        token = trace_.prompt_tokens[static_cast<std::size_t>(position) + 1];
        continue;
      }
      token = given_.empty() ? sampler.choose(pass.row_logits(0), position + 1, counts)
                             : given_[trace_.output_tokens.size()];
      counts.add(token);
      add_token(token, pass);
      if (ended(token)) return true;
    }
    return false;
  }

  Trace result() {
    trace_.loss_mask.assign(trace_.prompt_tokens.size(), 0);
    trace_.loss_mask.resize(trace_.prompt_tokens.size() + trace_.output_tokens.size(), 1);
    trace_.in_loop = loop_flags(trace_.output_tokens);
    return std::move(trace_);
  }

 private:
  void add_states(const engine::Pass& pass) {
    for (LayerStates& layer : trace_.states)
      for (const float number : pass.observed.state(layer.layer, 0))
        layer.values.push_back(float_to_bfloat16(number));
  }

  void add_token(Token token, const engine::Pass& pass) {
    scorer_.score(pass.row_logits(0), scores_);
    trace_.output_tokens.push_back(token);
    trace_.top_ids.insert(trace_.top_ids.end(), scores_.ids.begin(), scores_.ids.end());
    trace_.top_log_probs.insert(trace_.top_log_probs.end(), scores_.log_probs.begin(),
                                scores_.log_probs.end());
    trace_.entropies.push_back(scores_.entropy);
    trace_.tail_masses.push_back(scores_.outside);
  }

  bool ended(Token token) {
    const std::vector<Token>& ends = target_.end_tokens();
    const auto made = static_cast<int>(trace_.output_tokens.size());
    const auto length = static_cast<int>(trace_.prompt_tokens.size()) + made;
    if (given_.empty() && std::find(ends.begin(), ends.end(), token) != ends.end())
      trace_.finish = FinishReason::kStop;
    else if (made >= recipe_.max_new)
      trace_.finish = FinishReason::kLength;
    else if (length >= context_)
      trace_.finish = FinishReason::kContext;
    else if (!given_.empty() && trace_.output_tokens.size() == given_.size())
      trace_.finish = FinishReason::kStop;
    else
      return false;
    return true;
  }

  inference::Target& target_;
  const Recipe& recipe_;
  std::vector<Token> given_;  // empty: the target chooses
  int context_;
  sampling::RowScorer scorer_;
  sampling::RowScores scores_;
  Trace trace_;
};

}  // namespace

std::optional<std::vector<Trace>> recompute_one_row(inference::Target& target, const Recipe& recipe,
                                                    std::span<const Trace> recorded,
                                                    const std::function<bool()>& interrupted) {
  sampling::check(recipe.sampler, target.model().config.vocab);
  std::vector<Trace> results;
  for (const Trace& trace : recorded) {
    OneRowTrace again(target, recipe, trace);
    if (!again.decode(interrupted)) return std::nullopt;
    results.push_back(again.result());
  }
  return results;
}

}  // namespace outrider::data
