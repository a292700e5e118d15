#include "calibrate/gsd/stretch_record.h"

#include "data/journal/entry_numbers.h"

namespace outrider::calibrate {
namespace {

void add(data::EntryWriter& numbers, std::int64_t count) {
  numbers.add(static_cast<std::int32_t>(count));  // of a stretch
}

// Nodes in their order, each with its parent, so that nodes that were added together follow each other.
void write_tree(const RecordedTree& tree, data::EntryWriter& numbers) {
  numbers.add(tree.is_cut ? 1 : 0).add(tree.kept_row(0));
  numbers.add(static_cast<std::size_t>(tree.size() - 1));
  for (int node = 1; node < tree.size(); ++node)
    numbers.add(tree.parent(node))
        .add(tree.kept_row(node))
        .add(tree.token(node))
        .add(tree.value(node))
        .add(tree.log_q(node));
  const draft::KeptLogits& kept = tree.kept;
  numbers.add(static_cast<std::size_t>(kept.rows()));
  for (int row = 0; row < kept.rows(); ++row) {
    numbers.add(kept.softmax(row).largest).add(kept.softmax(row).log_sum);
    for (const Token token : kept.tokens(row)) numbers.add(token);
    for (const float logit : kept.logits(row)) numbers.add(logit);
  }
}

/// @return whether the numbers are a tree
bool read_tree(data::EntryReader& numbers, RecordedTree& tree) {
  constexpr std::size_t kOfNode = 7;
  tree.is_cut = numbers.integer() != 0;
  std::vector<int> parents = {RecordedTree::kNone}, kept_rows = {numbers.integer()};
  std::vector<sampling::RankedToken> nodes = {{0, 0, 0}};
  for (std::size_t left = numbers.count(kOfNode); left > 0; --left) {
    parents.push_back(numbers.integer());
    kept_rows.push_back(numbers.integer());
    const Token token = numbers.integer();
    const double value = numbers.long_real();
    nodes.push_back({token, value, numbers.long_real()});
  }
  for (std::size_t first = 1, end = 1; first < nodes.size(); first = end) {
    const int parent = parents[first];
    if (parent < 0 || parent >= tree.size() || tree.is_expanded(parent)) return false;
    while (end < nodes.size() && parents[end] == parent) ++end;
    tree.expand(parent, std::span(nodes).subspan(first, end - first),
                kept_rows[static_cast<std::size_t>(parent)]);
  }
  const std::size_t of_row = tree.kept.of_row();
  for (std::size_t left = numbers.count(3 + 2 * of_row); left > 0; --left) {
    const float largest = numbers.real();
    const sampling::LogSoftmax softmax = {largest, numbers.long_real()};
    std::vector<Token> tokens(of_row);
    std::vector<float> logits(of_row);
    for (Token& token : tokens) token = numbers.integer();
    for (float& logit : logits) logit = numbers.real();
    tree.kept.keep(tokens, logits, softmax);
  }
  for (int node = 0; node < tree.size(); ++node)
    if (tree.kept_row(node) < RecordedTree::kNone || tree.kept_row(node) >= tree.kept.rows())
      return false;
  return numbers.ok();
}

}  // namespace

data::JournalEntry entry_of(const StretchRecord& record) {
  data::EntryWriter numbers;
  for (const RecordedTree& tree : record.stretch.trees) write_tree(tree, numbers);
  numbers.add(record.redundancy.size());
  for (const Redundancy& one : record.redundancy) {
    numbers.add(one.children);
    add(numbers, one.trees);
    add(numbers, one.nodes);
    for (const std::int64_t nodes : one.repeated_nodes) add(numbers, nodes);
    for (const Redundancy::Merging& merging : one.merging) {
      add(numbers, merging.nodes);
      numbers.add(merging.divergence);
    }
  }
  return numbers.entry();
}

std::optional<StretchRecord> record_of(const data::JournalEntry& entry, const Stretch& stretch,
                                       const RecordedTree& empty) {
  data::EntryReader numbers(entry);
  StretchRecord record = {{stretch.answer, stretch.first, {}}, {}};
  for (std::size_t position = stretch.first; position < stretch.end; ++position) {
    record.stretch.trees.push_back(empty);
    if (!read_tree(numbers, record.stretch.trees.back())) return std::nullopt;
  }
  record.redundancy.resize(numbers.count(3));
  for (Redundancy& one : record.redundancy) {
    one.children = numbers.integer();
    one.trees = numbers.integer();
    one.nodes = numbers.integer();
    for (std::int64_t& nodes : one.repeated_nodes) nodes = numbers.integer();
    for (Redundancy::Merging& merging : one.merging) {
      merging.nodes = numbers.integer();
      merging.divergence = numbers.long_real();
    }
  }
  if (!numbers.is_at_end()) return std::nullopt;
  return record;
}

void add(const std::vector<Redundancy>& more, std::vector<Redundancy>& sums) {
  if (sums.empty()) {
    sums = more;
    return;
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    Redundancy& sum = sums[i];
    sum.trees += more[i].trees;
    sum.nodes += more[i].nodes;
    for (std::size_t n = 0; n < sum.repeated_nodes.size(); ++n)
      sum.repeated_nodes[n] += more[i].repeated_nodes[n];
    for (std::size_t tau = 0; tau < sum.merging.size(); ++tau) {
      sum.merging[tau].nodes += more[i].merging[tau].nodes;
      sum.merging[tau].divergence += more[i].merging[tau].divergence;
    }
  }
}

}  // namespace outrider::calibrate
