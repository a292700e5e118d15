#include "runtime/certify/batched_passes.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/certify/row_state.h"

namespace outrider::certify {

using engine::Row;

BatchedPasses::BatchedPasses(engine::Engine& engine,
                             const std::vector<CertifiedSequence>& sequences,
                             const std::vector<OneByOne>& references, const BeforePass& before_pass,
                             bool all_requested, Random& random, CertifyCounts& counts)
    : engine_(engine),
      sequences_(sequences),
      references_(references),
      before_pass_(before_pass),
      all_requested_(all_requested),
      random_(random),
      counts_(counts),
      scored_(engine) {
  for (const CertifiedSequence& s : sequences) caches_.push_back(engine.make_cache(s.capacity()));
}

std::string BatchedPasses::compare() {
  std::string what = forward_texts();
  if (what.empty() && one_in(random_, 2)) what = forward_trees(/*whole=*/false);
  if (what.empty()) what = forward_trees(/*whole=*/true);
  if (what.empty()) what = commit_paths();
  if (what.empty()) what = forward_next();
  if (what.empty()) what = truncate_and_continue();
  return what;
}

void BatchedPasses::begin_pass() {
  pass_.rows.clear();
  pass_.sequences.clear();
  for (const auto& cache : caches_) pass_.sequences.push_back(cache.get());
  pass_.request = random_request();
  expected_.clear();
  states_.clear();
  rows_of_.assign(caches_.size(), 0);
  every_ = 1 << between(random_, 0, 3);
}

engine::TapRequest BatchedPasses::random_request() {
  engine::TapRequest all = request_of_all(engine_.config());
  if (all_requested_ || one_in(random_, 2)) return all;
  engine::TapRequest some;
  if (one_in(random_, 2)) return some;
  for (const int layer : all.layers)
    if (one_in(random_, 2)) some.layers.push_back(layer);
  for (const engine::Head& head : all.heads)
    if (one_in(random_, 4)) some.heads.push_back(head);
  some.best_keys = one_in(random_, 2);
  return some;
}

/// Adds a row to the pass and returns its number.
int BatchedPasses::add(std::size_t sequence, Token token, int parent, const Expected& expected) {
  Row row = {token, static_cast<int>(sequence), parent, one_in(random_, every_)};
  if (one_in(random_, 8) || engine_.config().state_inputs > 0) {
    row.state = states_.emplace_back(state_for(token, engine_)).data();
    row.token = -1;  // ignored
    ++counts_.state_rows;
  }
  pass_.rows.push_back(row);
  expected_.push_back(expected);
  ++rows_of_[sequence];
  return static_cast<int>(pass_.rows.size()) - 1;
}

std::string BatchedPasses::forward_and_compare() {
  before_pass_();
  std::vector<int> slots;
  for (const auto& cache : caches_) slots.push_back(cache->length() + cache->held());
  engine_.forward(pass_);
  ++counts_.passes;
  counts_.most_sequences = std::max(
      counts_.most_sequences, static_cast<int>(std::count_if(rows_of_.begin(), rows_of_.end(),
                                                             [](int rows) { return rows > 0; })));
  int with_logits = 0;
  for (std::size_t i = 0; i < pass_.rows.size(); ++i) {
    const Row& row = pass_.rows[i];
    const int slot = slots[static_cast<std::size_t>(row.sequence)]++;
    RowBits found = bits_of(pass_, static_cast<int>(i), slot, engine_.config());
    if (row.wants_logits) {
      found.scores = scored_.bits_of(pass_.logits, with_logits++);
      ++counts_.logits_rows;
    }
    const std::string what = first_difference(*expected_[i].bits, found);
    if (!what.empty())
      return fmt::format("{}, {} {} of sequence {}, row {} of {} of a pass", what,
                         expected_[i].kind, expected_[i].index, row.sequence, i, pass_.rows.size());
    ++counts_.rows;
  }
  return {};
}

std::string BatchedPasses::compare_attention(int row) {
  RowBits found;
  found.layers.resize(static_cast<std::size_t>(engine_.config().layers));
  for (RowBits::Layer& layer : found.layers)
    layer.heads.resize(static_cast<std::size_t>(engine_.config().heads));
  add_attention(pass_, row, engine_.config(), found);
  const Expected& expected = expected_[static_cast<std::size_t>(row)];
  const std::string what = first_difference(*expected.bits, found);
  if (!what.empty())
    return fmt::format("{} after the commit, {} {} of sequence {}", what, expected.kind,
                       expected.index, pass_.rows[static_cast<std::size_t>(row)].sequence);
  counts_.attention_rows += pass_.request.heads.empty() ? 0 : 1;
  return {};
}

void BatchedPasses::add_text(std::size_t s, int count) {
  const int first = caches_[s]->length();
  const int end = std::min(first + count, sequences_[s].text_size());
  for (int i = first; i < end; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    add(s, sequences_[s].text[at],
        i == first ? Row::kCommitted : static_cast<int>(pass_.rows.size()) - 1,
        {&references_[s].text[at], "token", i});
  }
}

std::string BatchedPasses::forward_texts() {
  for (;;) {
    begin_pass();
    for (std::size_t s = 0; s < caches_.size(); ++s) {
      const int shared = sequences_[s].shared;
      if (shared > 0 && caches_[s]->length() == 0) {
        if (caches_[0]->length() < shared)
          continue;  // until the first has forwarded the shared prefix
        if (std::string what = copy_prefix(s); !what.empty()) return what;
      }
      add_text(s, between(random_, 1, 70));
    }
    if (pass_.rows.empty()) return {};
    if (std::string what = forward_and_compare(); !what.empty()) return what;
    if (std::string what = commit_texts(); !what.empty()) return what;
  }
}

std::string BatchedPasses::copy_prefix(std::size_t s) {
  caches_[s]->copy_prefix(*caches_[0], sequences_[s].shared);
  for (int slot = 0; slot < caches_[s]->length(); ++slot) {
    const std::string what =
        first_difference(references_[s].text[static_cast<std::size_t>(slot)], *caches_[s], slot);
    if (!what.empty())
      return fmt::format("{} after a copy, token {} of sequence {}", what, slot, s);
    ++counts_.copied_rows;
  }
  return {};
}

std::string BatchedPasses::commit_texts() {
  for (std::size_t s = 0; s < caches_.size(); ++s) caches_[s]->commit_first(rows_of_[s]);
  for (int row = 0; row < static_cast<int>(pass_.rows.size()); ++row)
    if (one_in(random_, 4))
      if (std::string what = compare_attention(row); !what.empty()) return what;
  return {};
}

const RowBits& BatchedPasses::reference_of(const Ready& node) const {
  return references_[node.sequence].tree[static_cast<std::size_t>(node.node)];
}

/// Adds a node to the pass, and its children to the ready nodes.
void BatchedPasses::add_node(const Ready& ready, std::vector<Ready>& all_ready) {
  const auto [s, node] = ready;
  const CertifiedSequence& sequence = sequences_[s];
  const int parent = sequence.parents[static_cast<std::size_t>(node)];
  int follows = Row::kCommitted;
  if (parent >= 0) {
    const ForwardedNode& forwarded = forwarded_[s][static_cast<std::size_t>(parent)];
    follows = forwarded.pass == tree_passes_ ? forwarded.row : Row::held(forwarded.number);
    counts_.continued_rows += forwarded.pass == tree_passes_ ? 0 : 1;
  }
  ForwardedNode& forwarded = forwarded_[s][static_cast<std::size_t>(node)];
  forwarded.pass = tree_passes_;
  forwarded.number = caches_[s]->held() + rows_of_[s];
  forwarded.row = add(s, sequence.tree[static_cast<std::size_t>(node)], follows,
                      {&reference_of(ready), "node", node});
  for (const int child : sequence.children(node)) all_ready.push_back({s, child});
}

/// Forwards every row after its parent, otherwise in any order, interleaved with rows of other
/// sequences; in one pass or in several, of which all but the last hold their rows.
/// @param whole  false: one pass only, whose rows are dropped
std::string BatchedPasses::forward_trees(bool whole) {
  std::vector<Ready> ready;
  forwarded_.clear();
  for (std::size_t s = 0; s < sequences_.size(); ++s) {
    forwarded_.emplace_back(sequences_[s].tree.size());
    for (const int root : sequences_[s].children(-1)) ready.push_back({s, root});
  }
  const int rows_of_pass = one_in(random_, 2) ? 1 << 30 : between(random_, 1, 40);
  tree_passes_ = 0;
  while (!ready.empty()) {
    begin_pass();
    ++tree_passes_;
    while (!ready.empty() && static_cast<int>(pass_.rows.size()) < rows_of_pass) {
      std::swap(ready[random_() % ready.size()], ready.back());
      const Ready next = ready.back();
      ready.pop_back();
      add_node(next, ready);
    }
    if (std::string what = forward_and_compare(); !what.empty()) return what;
    if (!ready.empty() || one_in(random_, 2))
      for (const auto& cache : caches_) cache->hold();
    if (whole) continue;
    for (const auto& cache : caches_) cache->drop();
    return {};
  }
  return {};
}

std::string BatchedPasses::commit_paths() {
  for (std::size_t s = 0; s < sequences_.size(); ++s) {
    const std::vector<int>& path = sequences_[s].path;
    std::vector<int> kept;
    for (const int node : path)
      kept.push_back(forwarded_[s][static_cast<std::size_t>(node)].number);
    const int first = caches_[s]->length();
    caches_[s]->commit(kept);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      counts_.moved_rows += kept[i] != static_cast<int>(i);
      const RowBits& expected = reference_of({s, path[i]});
      const std::string what = first_difference(expected, *caches_[s], first + static_cast<int>(i));
      if (!what.empty())
        return fmt::format("{} after the commit, node {} of sequence {}", what, path[i], s);
      const ForwardedNode& forwarded = forwarded_[s][static_cast<std::size_t>(path[i])];
      if (forwarded.pass != tree_passes_)
        continue;  // the observation of an earlier pass is overwritten
      if (std::string weights = compare_attention(forwarded.row); !weights.empty()) return weights;
    }
    counts_.deepest_path = std::max(counts_.deepest_path, static_cast<int>(kept.size()));
  }
  return {};
}

std::string BatchedPasses::forward_next() {
  begin_pass();
  for (std::size_t s = 0; s < sequences_.size(); ++s)
    add(s, sequences_[s].next, Row::kCommitted,
        {&references_[s].next, "the token after position", caches_[s]->length() - 1});
  return forward_and_compare();
}

std::string BatchedPasses::truncate_and_continue() {
  constexpr int kTokens = 20;
  for (std::size_t s = 0; s < sequences_.size(); ++s) {
    if (one_in(random_, 2)) caches_[s]->hold();  // held rows, which the truncation discards
    caches_[s]->truncate(sequences_[s].cut);
  }
  begin_pass();
  for (std::size_t s = 0; s < sequences_.size(); ++s) add_text(s, kTokens);
  counts_.rows_after_truncation += static_cast<std::int64_t>(pass_.rows.size());
  if (std::string what = forward_and_compare(); !what.empty()) return what;
  return commit_texts();
}

}  // namespace outrider::certify
