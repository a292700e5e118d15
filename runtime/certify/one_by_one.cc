#include "runtime/certify/one_by_one.h"

#include "runtime/certify/row_state.h"

namespace outrider::certify {

OneByOne::OneByOne(engine::Engine& engine, ScoredRows& scored, const CertifiedSequence& sequence,
                   const BeforePass& before_pass)
    : engine_(engine),
      scored_(scored),
      sequence_(sequence),
      before_pass_(before_pass),
      cache_(engine.make_cache(sequence.capacity())) {
  for (const Token token : sequence.text) text.push_back(step(token));
  tree.resize(sequence.tree.size());
  walk(-1);
}

void OneByOne::walk(int parent) {
  for (const int row : sequence_.children(parent)) {
    const std::size_t i = static_cast<std::size_t>(row);
    tree[i] = step(sequence_.tree[i]);
    if (row == sequence_.path.back()) {
      next = step(sequence_.next);
      cache_->truncate(cache_->length() - 1);
    }
    walk(row);
    cache_->truncate(cache_->length() - 1);
  }
}

RowBits OneByOne::step(Token token) {
  before_pass_();
  engine::Pass pass;
  pass.sequences = {cache_.get()};
  pass.rows = {{token, 0, engine::Row::kCommitted, true}};
  const std::vector<float> state = state_for(token, engine_);
  if (engine_.config().state_inputs > 0) pass.rows[0].state = state.data();
  pass.request = request_of_all(engine_.config());
  engine_.forward(pass);
  RowBits bits = bits_of(pass, 0, cache_->length(), engine_.config());
  bits.scores = scored_.bits_of(pass.logits, 0);
  cache_->commit_first(1);
  add_attention(pass, 0, engine_.config(), bits);
  return bits;
}

}  // namespace outrider::certify
