#include "calibrate/ngrams/bigram_table.h"

#include <algorithm>

#include "calibrate/ngrams/committed_prefix.h"
#include "data/generate/row_scorer.h"

namespace outrider::calibrate {

bool fill_bigram_table(engine::Engine& engine, int batch, BigramTable& table,
                       const std::function<bool()>& go_on) {
  const int vocab = engine.config().vocab;
  data::RowScorer scorer(table.top, vocab);
  data::RowScores scores;
  engine::KvCache cache = cache_behind(engine, table.before, batch);
  engine::Pass pass;
  pass.sequences = {&cache};
  // Every row comes right behind that: none is committed, and none follows another.
  while (table.rows() < vocab) {
    const int first = table.rows();
    pass.rows.clear();
    for (Token token = first; token < std::min(first + batch, vocab); ++token)
      pass.rows.push_back({token, 0, engine::Row::kCommitted, true});
    engine.forward(pass);
    for (std::size_t row = 0; row < pass.rows.size(); ++row) {
      float* logits = pass.logits.data() + row * pass.logits_stride;
      scorer.score({logits, static_cast<std::size_t>(vocab)}, scores);
      table.next.insert(table.next.end(), scores.ids.begin(), scores.ids.end());
      table.log_probs.insert(table.log_probs.end(), scores.log_probs.begin(),
                             scores.log_probs.end());
    }
    if (!go_on()) break;
  }
  return table.rows() == vocab;
}

}  // namespace outrider::calibrate
