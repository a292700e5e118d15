#include "calibrate/ngrammys/bigram_trial.h"

#include <algorithm>
#include <memory>

#include "runtime/draft/ngram/bigram_drafter.h"

namespace outrider::calibrate {

void try_bigrams(std::vector<BigramTrial>& trials, const std::vector<Answer>& answers) {
  for (BigramTrial& trial : trials) {
    auto tables = std::make_shared<draft::NgramTables>();
    tables->top = trial.table.top;
    tables->next = trial.table.next;
    tables->log_probs = trial.table.log_probs;
    const int drafts = std::min(kTrialDrafts, tables->top);
    draft::Bigram drafter(tables, {.drafts = drafts, .draft_length = kTrialLength});
    trial.replay = replay_all(answers, &drafter);
  }
}

void try_extension(ExtensionTrial& trial, const BigramTable& table,
                   const std::vector<Answer>& answers) {
  auto tables = std::make_shared<draft::NgramTables>();
  tables->top = table.top;
  tables->next = table.next;
  tables->log_probs = table.log_probs;
  const draft::BigramOptions size = {.drafts = trial.extension.rows,
                                     .draft_length = 1 + trial.extension.length};
  draft::Bigram without(tables, size);
  trial.without = replay_all(answers, &without);
  auto extended = std::make_shared<draft::NgramTables>(*tables);
  extended->extended_rows = trial.extension.rows;
  extended->extended_length = trial.extension.length;
  extended->extended = trial.extension.next;
  draft::Bigram with(extended, size);
  trial.with = replay_all(answers, &with);
}

const BigramTrial& best_of(const std::vector<BigramTrial>& trials) {
  return *std::max_element(trials.begin(), trials.end(), [](const auto& a, const auto& b) {
    return a.replay.tokens_per_pass() < b.replay.tokens_per_pass();
  });
}

}  // namespace outrider::calibrate
