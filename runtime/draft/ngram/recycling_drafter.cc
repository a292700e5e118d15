#include "runtime/draft/ngram/recycling_drafter.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "runtime/base/math.h"
#include "runtime/draft/admission.h"

namespace outrider::draft {
namespace {

/// A kind of rows: its name in records, and the assumed share of rounds in which it contains the
/// next token, which weighs as kPriorRounds counted rounds.
struct Prior {
  const char* name;
  double covered;
};
constexpr std::array<Prior, 3> kPriors = {
    {{"two_tokens", 0.8}, {"one_token", 0.6}, {"bigram", 0.5}}};
constexpr double kPriorRounds = 8;

/// Nodes less likely than this are skipped where costs decide: no machine is faster with them.
constexpr double kLeastProbability = 0.02;

}  // namespace

Recycling::Recycling(TablesPtr tables, RecyclingOptions options,
                     const engine::ScoreKernels& kernels)
    : tables_(std::move(tables)),
      options_(std::move(options)),
      top_(options_.top, tables_->vocab(), kernels),
      rows_(options_.top) {
  if (options_.nodes == 0 && options_.passes.empty())
    throw std::logic_error("Recycling: no prices of passes");
  const auto most = static_cast<std::size_t>(options_.nodes == 0 ? kMostNodes : options_.nodes);
  root_next_.reserve(static_cast<std::size_t>(options_.top));
  grown_.reserve(most);
  reached_.reserve(most);
  placed_.reserve(most);
  open_.reserve((most + 1) * static_cast<std::size_t>(options_.top));
}

DrafterReport Recycling::report(double seconds) const {
  std::vector<DrafterCount> counts;
  for (const Kind kind : kKinds) {
    const std::string name = kPriors[kind].name;
    counts.push_back({name + "_rounds", coverage_[kind].rounds});
    counts.push_back({name + "_covered", coverage_[kind].covered});
  }
  return {{{name(), seconds}}, std::move(counts)};
}

void Recycling::forget() {
  rows_.clear();
  coverage_ = {};
  drafted_after_ = 0;
  before_ = RecycledRows::kAny;
}

int Recycling::begin(const TextStart& text) {
  // A later turn of the same conversation goes on where the last one ended.
  if (drafted_after_ == 0 || text.kept + 1 < drafted_after_) forget();
  drafted_after_ = 0;
  before_ = text.text.size() > 1 ? text.text[text.text.size() - 2] : RecycledRows::kAny;
  return text.kept;
}

void Recycling::learn(Token before, Token token, std::span<const float> logits) {
  const std::span<const sampling::RankedToken> next = top_.of(logits);
  rows_.put(RecycledRows::kAny, token, next);
  if (before != RecycledRows::kAny) rows_.put(before, token, next);
}

void Recycling::observe(const engine::Pass& pass, const ObservedRows& rows) {
  for (const int row : rows.rejected) {
    const engine::Row& one = pass.rows[static_cast<std::size_t>(row)];
    learn(pass.rows[static_cast<std::size_t>(one.parent)].token, one.token, pass.logits_of(row));
  }
  for (const int row : rows.kept) {
    const std::span<const float> logits = pass.logits_of(row);
    if (logits.empty()) continue;  // of a prompt, before its last row
    const Token token = pass.rows[static_cast<std::size_t>(row)].token;
    learn(before_, token, logits);
    before_ = token;
  }
}

/// Counts whether the last draft's row of its root held the token that came next.
void Recycling::count_coverage(std::span<const Token> text) {
  const auto next = static_cast<std::size_t>(drafted_after_);
  if (next == 0 || next >= text.size()) return;
  Coverage& coverage = coverage_[root_kind_];
  ++coverage.rounds;
  coverage.covered +=
      std::find(root_next_.begin(), root_next_.end(), text[next]) != root_next_.end();
}

Recycling::Found Recycling::find(Token before, Token token) const {
  if (before != RecycledRows::kAny) {
    const RecycledRows::Row of_two = rows_.find(before, token);
    if (!of_two.tokens.empty()) return {kOfTwo, of_two};
  }
  const RecycledRows::Row of_one = rows_.find(RecycledRows::kAny, token);
  if (!of_one.tokens.empty()) return {kOfOne, of_one};
  const auto width = static_cast<std::size_t>(std::min(options_.top, tables_->top));
  return {kOfBigram,
          {tables_->next_of(token).first(width), tables_->log_probs_of(token).first(width)}};
}

/// The share of rows of a kind that hold the token which comes next, as expected from a prior and the text.
double Recycling::covered_share(Kind kind) const {
  const Coverage& coverage = coverage_[kind];
  return (kPriors[kind].covered * kPriorRounds + static_cast<double>(coverage.covered)) /
         (kPriorRounds + static_cast<double>(coverage.rounds));
}

/// Opens what may follow a grown node, or the root.
void Recycling::open_children(const DraftContext& context, int parent) {
  const std::span<const Token> text = context.committed;
  const Node* const node = parent == kRoot ? nullptr : &grown_[static_cast<std::size_t>(parent)];
  const int depth = node == nullptr ? 0 : node->depth;
  const Token token = node == nullptr ? text.back() : node->token;
  Token before = text.back();
  if (node == nullptr)
    before = text.size() > 1 ? text[text.size() - 2] : RecycledRows::kAny;
  else if (node->parent != kRoot)
    before = grown_[static_cast<std::size_t>(node->parent)].token;

  const Found found = find(before, token);
  const auto ranked = choice_.rank(context.sampling, found.row.tokens, found.row.logits,
                                   static_cast<std::int64_t>(text.size()) + depth, options_.top);
  double sum = 0;
  for (const sampling::RankedToken& one : ranked)
    sum += math::exp(one.value - ranked.front().value);
  const double of_row = (node == nullptr ? 1 : node->probability) * covered_share(found.kind) / sum;
  if (node == nullptr) {
    root_kind_ = found.kind;
    root_next_.clear();
  }
  const Source source = found.kind == kOfBigram ? Source::kBigram : Source::kRecycled;
  int rank = 0;
  for (const sampling::RankedToken& one : ranked) {
    if (node == nullptr) root_next_.push_back(one.token);
    const double probability = of_row * math::exp(one.value - ranked.front().value);
    open_.open(probability,
               {probability, one.token, parent, depth + 1, {.source = source, .rank = rank++}});
  }
}

void Recycling::grow(const DraftContext& context, const DraftLimits& limits) {
  grown_.clear();
  open_.clear();
  open_children(context, kRoot);
  const double least = options_.nodes == 0 ? kLeastProbability : 0;
  while (!open_.empty() && static_cast<int>(grown_.size()) < limits.nodes &&
         open_.best().value >= least) {
    grown_.push_back(open_.take().node);
    if (grown_.back().depth < limits.depth)
      open_children(context, static_cast<int>(grown_.size()) - 1);
  }
}

void Recycling::fill(const DraftContext& context, TokenTree& tree) {
  const int tokens = static_cast<int>(context.committed.size());
  count_coverage(context.committed);
  drafted_after_ = tokens;
  const bool is_priced = options_.nodes == 0;
  const DraftLimits& limits = tree.limits();
  const int nodes = is_priced ? kMostNodes : options_.nodes;
  grow(context, {std::min(limits.depth, options_.draft_length), std::min(limits.nodes, nodes)});
  if (is_priced) {
    reached_.clear();
    for (const Node& node : grown_) reached_.push_back(node.probability);
    grown_.resize(nodes_that_pay(reached_, costs_after(options_.passes, tokens).seconds).count);
  }
  placed_.clear();
  for (Node& node : grown_) {
    const Node* const above =
        node.parent == kRoot ? nullptr : &grown_[static_cast<std::size_t>(node.parent)];
    const int parent = above == nullptr ? 0 : placed_[static_cast<std::size_t>(node.parent)];
    node.origin.chance =
        static_cast<float>(node.probability / (above == nullptr ? 1 : above->probability));
    placed_.push_back(tree.add(parent, node.token, node.origin));
  }
  if (limits.nodes < nodes && tree.num_drafted() == limits.nodes) tree.note_cut();
}

}  // namespace outrider::draft
