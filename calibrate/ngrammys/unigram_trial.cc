#include "calibrate/ngrammys/unigram_trial.h"

#include <algorithm>
#include <memory>

#include "runtime/draft/ngram/unigram_drafter.h"

namespace outrider::calibrate {

std::vector<UnigramTrial> try_unigrams(const model::Model& model,
                                       const std::vector<Answer>& answers, int drafts) {
  std::vector<UnigramTrial> trials;
  for (const std::string& name : unigram_measure_names()) {
    const UnigramMeasure measure = unigram_measure_of(name);
    auto tables = std::make_shared<draft::NgramTables>();
    tables->unigram = rank_unigrams(model, measure);
    draft::Unigram drafter(tables, drafts);
    trials.push_back({measure, tables->unigram, replay_all(answers, &drafter)});
  }
  return trials;
}

const UnigramTrial& best_of(const std::vector<UnigramTrial>& trials) {
  return *std::max_element(trials.begin(), trials.end(), [](const auto& a, const auto& b) {
    return a.replay.tokens_per_pass() < b.replay.tokens_per_pass();
  });
}

}  // namespace outrider::calibrate
