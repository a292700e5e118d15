#include "calibrate/studies/study_plans.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "calibrate/ngrammys/grid_search.h"
#include "calibrate/pld_plus/head_search.h"
#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/pld_plus/state_choices.h"
#include "calibrate/pld_plus/state_sweep.h"
#include "runtime/base/stopwatch.h"

namespace outrider::calibrate {
namespace {

/// Of work on texts, unless there are none.
void add_part(const char* what, const WorkAhead& ahead,
              const std::function<void(const Answer&)>& work, std::vector<PlannedPart>& parts) {
  if (ahead.tokens == 0) return;
  parts.push_back({fmt::format("{} on {} texts, {} tokens", what, ahead.answers, ahead.tokens),
                   ahead.seconds_of(work)});
}

}  // namespace

std::vector<PlannedPart> heads_parts(engine::Engine& target, const WorkAhead& counted,
                                     const WorkAhead& tried) {
  std::vector<PlannedPart> parts;
  HeadSearch search(target);
  add_part(
      "heads counted", counted, [&](const Answer& answer) { search.add(answer); }, parts);
  if (tried.tokens == 0) return parts;
  // Which heads they are makes no difference to the time.
  if (counted.tokens == 0) search.add(tried.sample);
  HeadSweep sweep(target, ranked_heads(search.total(), target.config().heads),
                  head_choices(target.config()));
  add_part(
      "choices of heads tried", tried, [&](const Answer& answer) { sweep.add(answer); }, parts);
  return parts;
}

std::vector<PlannedPart> layer_parts(engine::Engine& target, const WorkAhead& every,
                                     const WorkAhead& averaged) {
  std::vector<PlannedPart> parts;
  const auto add = [&](const char* what, const WorkAhead& ahead,
                       const std::vector<StateChoice>& choices) {
    StateSweep sweep(target, choices);
    add_part(
        what, ahead, [&](const Answer& answer) { sweep.add(answer); }, parts);
  };
  add("every layer tried", every, every_layer(target.config()));
  add("states averaged and logits weighed", averaged, means_and_weights(1));
  return parts;
}

std::vector<PlannedPart> bigram_parts(engine::Engine& target, const BigramTable& begun, int batch,
                                      std::int64_t missing) {
  if (missing == 0) return {};
  BigramTable sample = begun;
  const Stopwatch watch;
  fill_bigram_table(target, batch, target.config().vocab, sample, [] { return false; });
  const int filled = sample.rows() - begun.rows();
  return {{fmt::format("next tokens of {} tokens{}", missing,
                       begun.before.empty() ? "" : " at the start of an answer"),
           watch.seconds() * static_cast<double>(missing) / filled}};
}

PlannedPart ngram_settings_part(const WorkAhead& ahead, int vocab, int top) {
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
            search_grid({answer}, made, [](int) { return true; });
          })};
}

}  // namespace outrider::calibrate
