#include "calibrate/commands/study_plans.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "calibrate/ngrams/grid_search.h"
#include "calibrate/pld_plus/head_search.h"
#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/pld_plus/state_choices.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {

std::vector<cli::PlannedPart> heads_parts(engine::Engine& target, const WorkAhead& ahead) {
  constexpr double kHalf = 0.5;  // of the texts for each part
  HeadSearch search(target);
  const double counting =
      ahead.seconds_of([&](const Answer& answer) { search.add(answer); }, kHalf);
  HeadSweep sweep(target, ranked_heads(search.total(), target.config().heads),
                  head_choices(target.config()));
  const double trying = ahead.seconds_of([&](const Answer& answer) { sweep.add(answer); }, kHalf);
  return {{fmt::format("heads counted on half of {} texts, {} tokens", ahead.answers, ahead.tokens),
           counting},
          {"choices of heads tried on the other half", trying}};
}

std::vector<cli::PlannedPart> layer_parts(engine::Engine& target, const WorkAhead& ahead) {
  const auto seconds_of = [&](const std::vector<StateChoice>& choices) {
    StateSweep sweep(target, choices);
    return ahead.seconds_of([&](const Answer& answer) { sweep.add(answer); });
  };
  return {{fmt::format("every layer tried on {} texts, {} tokens", ahead.answers, ahead.tokens),
           seconds_of(every_layer(target.config()))},
          {"states averaged and logits weighed", seconds_of(means_and_weights(1))}};
}

std::vector<cli::PlannedPart> bigram_parts(engine::Engine& target, const BigramTable& begun,
                                           int batch) {
  const int missing = target.config().vocab - begun.rows();
  if (missing == 0) return {};
  BigramTable sample = begun;
  const Stopwatch watch;
  fill_bigram_table(target, batch, target.config().vocab, sample, [] { return false; });
  const int filled = sample.rows() - begun.rows();
  return {{fmt::format("next tokens of {} tokens{}", missing,
                       begun.before.empty() ? "" : " at the start of an answer"),
           watch.seconds() * missing / filled}};
}

cli::PlannedPart ngram_settings_part(const WorkAhead& ahead, int vocab, int top) {
  draft::NgramTables tables;
  tables.top = std::min(top, vocab);
  for (Token token = 0; token < vocab; ++token) {
    tables.unigram.push_back(token);
    for (int rank = 0; rank < tables.top; ++rank) tables.next.push_back((token + rank) % vocab);
  }
  tables.log_probs.assign(tables.next.size(), -1);
  const auto made = std::make_shared<draft::NgramTables>(std::move(tables));
  return {fmt::format("settings tried on {} texts, {} tokens", ahead.answers, ahead.tokens),
          ahead.seconds_of([&](const Answer& answer) {
            search_grid(
                {answer}, made, [](int, int) { return 1.0; }, [](int) { return true; });
          })};
}

}  // namespace outrider::calibrate
