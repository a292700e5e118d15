#include "runtime/decode/round.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "runtime/decode/draft_limits.h"
#include "runtime/engine/row_reader.h"

namespace outrider::decode {

Round::Round(int vocab) : vocab_(vocab), tree_(0) {
  row_stats_.reserve(draft::kMostDrafts, draft::DrafterTraits::kUsualNodes);
  acceptance_.reserve();
}

void Round::begin(Sequence& sequence, draft::Drafter* drafter, const OnToken& on_token) {
  since_begin_ = Stopwatch();
  sequence_ = &sequence;
  drafter_ = drafter;
  on_token_ = &on_token;
  reads_given_ = false;
  turn_ = Turn::kNone;
  stats_ = {};
  draft_seconds_ = 0;
  by_drafter_.clear();
  row_stats_.clear();
  acceptance_.clear();
  traits_ = drafter == nullptr ? draft::DrafterTraits{.most_nodes = 0} : drafter->traits();
  if (drafter == nullptr) return;
  sequence.cache().truncate(adopt(nullptr, sequence.held()));
}

int Round::adopt(const draft::Drafter* like, int tokens) {
  if (drafter_ == nullptr) return tokens;
  if (like != nullptr) drafter_->adopt(*like, tokens);
  return drafter_->start({sequence_->text(), tokens, sequence_->prompt() + sequence_->left()});
}

int Round::unread() const {
  if (reads_given_) return static_cast<int>(sequence_->known().size()) - sequence_->held();
  return sequence_->answer().empty() ? sequence_->prompt() - sequence_->held() : 0;
}

/// @return the sequence's index in the pass
int Round::begin_rows(engine::Pass& pass) {
  first_row_ = static_cast<int>(pass.rows.size());
  first_logits_ = static_cast<int>(std::count_if(
      pass.rows.begin(), pass.rows.end(), [](const engine::Row& row) { return row.wants_logits; }));
  pass.sequences.push_back(&sequence_->cache());
  kept_.clear();
  return static_cast<int>(pass.sequences.size()) - 1;
}

void Round::read(engine::Pass& pass, int tokens) {
  turn_ = Turn::kReads;
  const int sequence = begin_rows(pass);
  const int begin = sequence_->held(), end = begin + tokens, predicts = sequence_->prompt() - 1;
  pass.add_chain(
      sequence,
      sequence_->known().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(tokens)),
      false);
  rows_ = tokens;
  asking_ = 0;
  for (int i = std::max(0, predicts - begin); i < tokens; ++i, ++asking_)
    pass.rows[static_cast<std::size_t>(first_row_ + i)].wants_logits = true;
  request_ = traits_.wants.before_last_row();
  if (end > predicts) request_.merge(traits_.wants);
}

draft::DraftLimits Round::limits() const {
  const int tokens = static_cast<int>(sequence_->text().size());
  draft::DraftLimits most =
      draft_limits(sequence_->left(), tokens, sequence_->context(), traits_.most_nodes);
  // A cache may have been made for less than the context.
  most.nodes = std::min(most.nodes, sequence_->cache().capacity() - tokens);
  return most;
}

void Round::draft(engine::Pass& pass, int nodes) {
  turn_ = Turn::kDrafts;
  other_seconds_ = 0;
  end_lap(other_seconds_);
  draft::DraftLimits most = limits();
  most.nodes = std::min(most.nodes, nodes);
  was_asked_ = nodes > 0;
  const double before = draft_seconds_;
  sampling::TokenConstraint* const constraint = sequence_->constraint();
  make_draft(drafter_, {sequence_->text(), sequence_->sampling(), constraint}, most, tree_);
  // What was drawn to be accepted or rejected is verified whatever it is: else the text would have another distribution.
  if (constraint != nullptr && !uses_rejection()) refuse_nodes(tree_, *constraint);
  end_lap(draft_seconds_);
  if (was_asked_ && drafter_ != nullptr) {
    AskedDrafts& asked = stats_.asked;
    (asked.rounds++ == 0 ? asked.first_seconds : asked.seconds) += draft_seconds_ - before;
    asked.with_draft += tree_.num_drafted() > 0;
  }
  verified_before_ = stats_.verify_seconds;
  sampled_before_ = stats_.sample_seconds;
  add_rows(tree_, begin_rows(pass), pass, row_of_);
  rows_ = 1 + tree_.num_sent();
  request_ = traits_.wants;  // copied: its capacity stays
}

void Round::forwarded(const engine::Pass& pass) {
  if (turn_ == Turn::kDrafts) {
    end_lap(stats_.verify_seconds);
    verifier_.begin(tree_);
    asks_whole_ = can_ask_whole(pass);
    return;
  }
  const int before = sequence_->held();
  sequence_->cache().commit_first(rows_);
  kept_.resize(static_cast<std::size_t>(rows_));
  std::iota(kept_.begin(), kept_.end(), first_row_);
  stats_.prefilled_rows += std::clamp(sequence_->prompt() - before, 0, rows_);
  if (drafter_ != nullptr && !request_.empty()) drafter_->observe(pass, {kept_});
}

bool Round::asks() const {
  if (turn_ == Turn::kReads) return asking_ > 0 && !sequence_->finished();
  return turn_ == Turn::kDrafts && verifier_.asks();
}

void Round::ask(const sampling::Chooser& chooser, const engine::Pass& pass,
                std::vector<sampling::AskedRow>& rows, std::vector<engine::AskedDraft>& drafts) {
  const int position = static_cast<int>(sequence_->text().size());
  const auto add = [&](int row, int ahead) {
    rows.push_back(asked_row(chooser, {&pass.logits, first_logits_ + row}, position + ahead));
  };
  if (turn_ == Turn::kReads) {
    for (int i = 0; i < asking_; ++i) add(i, i);
    return;
  }
  end_lap(other_seconds_);
  const auto row_of = [&](int node) { return row_of_[static_cast<std::size_t>(node)]; };
  if (asks_whole_) {
    const std::span<const engine::Row> all = pass.rows;
    drafts.push_back(
        {.cache = &sequence_->cache(),
         .rows = all.subspan(static_cast<std::size_t>(first_row_), static_cast<std::size_t>(rows_)),
         .first_row = first_row_,
         .first_question = rows.size()});
    after_nodes_.begin(tree_, *sequence_);
    for (int node = 0; node < tree_.size(); ++node) {
      if (tree_.is_refused(node)) continue;
      rows.push_back({.row = first_logits_ + row_of(node),
                      .position = position + tree_.depth(node),
                      .sampling = after_nodes_.sampling(node),
                      .allowed = after_nodes_.allowed(node),
                      .may_be_rejected = true});
    }
  } else {
    add(row_of(verifier_.node()), 0);
  }
  end_lap(stats_.sample_seconds);
}

/// A row of logits: with the token after it where that is of the given answer, or chosen by rejection; else to be
/// answered with the target's own choice.
sampling::AskedRow Round::asked_row(const sampling::Chooser& chooser, const engine::LogitsRow& row,
                                    int position) {
  sampling::AskedRow asked = {.row = row.row, .position = position};
  if (const std::optional<Token> given = sequence_->given(position)) {
    asked.token = *given;
  } else if (turn_ == Turn::kDrafts && uses_rejection()) {
    if (!rejection_) rejection_.emplace(vocab_);
    asked.token = rejection_->choose(
        sequence_->sampling(), sampling::masked(chooser.row(row), sequence_->allowed(), masked_),
        position, tree_, verifier_.node());
  } else {
    asked.sampling.emplace(sequence_->sampling());
    asked.allowed = sequence_->allowed();
  }
  return asked;
}

/// Whether the choices after all rows of a draft are asked for at once: on a device that costs little more than one, while
/// every request takes as long as a launch.
bool Round::can_ask_whole(const engine::Pass& pass) const {
  return pass.logits.elsewhere() != nullptr && !uses_rejection() &&
         sequence_->limits().given.empty();
}

/// Whether the token after a node is chosen as its drafter wants drafts verified.
bool Round::uses_rejection() const {
  return traits_.verification == draft::Verification::kRejection &&
         sequence_->sampling().options.temperature > 0;
}

void Round::answer(const engine::Pass& pass, std::span<const sampling::AskedRow> rows) {
  const auto& on_row = sequence_->limits().on_row;
  if (turn_ == Turn::kDrafts) {
    end_lap(stats_.sample_seconds);
    const bool whole = asks_whole_;
    do {
      const sampling::AskedRow& row =
          whole
              ? rows[static_cast<std::size_t>(row_of_[static_cast<std::size_t>(verifier_.node())])]
              : rows.front();
      // A row that is wanted after all, and no distribution: asked for alone, it is an error.
      if (row.token == engine::RowAnswer::kRefused) {
        asks_whole_ = false;
        return;
      }
      if (on_row) on_row(pass.logits, row.row);
      scores_ = row.scores;
      const draft::Origin origin = verifier_.choose(row.token);
      if (!take(row.token, origin)) verifier_.end();
    } while (whole && verifier_.asks());
    return;
  }
  for (const sampling::AskedRow& row : rows) {
    if (on_row) on_row(pass.logits, row.row);
    if (sequence_->answer().empty()) begin_text();
    scores_ = row.scores;
    --asking_;
    if (!take(row.token, {})) return;
  }
}

/// The prompt is read.
void Round::begin_text() {
  stats_.by_pass.reserve(static_cast<std::size_t>(sequence_->left()));
  stats_.prefill_seconds = since_begin_.seconds();
  clock_ = Stopwatch();
}

bool Round::take(Token token, const draft::Origin& origin) {
  sequence_->take(token);
  stats_.decode_seconds = clock_.seconds();
  if (*on_token_ && !(*on_token_)(token, origin)) sequence_->finish(FinishReason::kStop);
  return !sequence_->finished();
}

void Round::end(const engine::Pass& pass) {
  if (std::exchange(turn_, Turn::kNone) != Turn::kDrafts) return;
  const VerifiedDraft verified = verifier_.result();
  ++stats_.passes;
  stats_.drafted += tree_.num_sent();
  stats_.cut_rounds += tree_.is_cut();
  stats_.accepted += verified.accepted();
  stats_.by_pass.push_back({tree_.num_sent(), verified.accepted()});
  if (!tree_.drafts().empty()) row_stats_.add(tree_, verified.path);
  acceptance_.add(tree_, verified.path, verified.kept);

  kept_own_.clear();
  for (const int node : verified.kept) kept_own_.push_back(row_of_[static_cast<std::size_t>(node)]);
  sequence_->cache().commit(kept_own_);
  for (const int row : kept_own_) kept_.push_back(first_row_ + row);
  end_lap(other_seconds_);
  by_drafter_.add(tree_, verified.path, stats_.verify_seconds - verified_before_,
                  stats_.sample_seconds - sampled_before_, other_seconds_);
  if (drafter_ == nullptr) return;
  clock_.lap();
  tell_drafter(pass, verified);
  end_lap(draft_seconds_);
}

void Round::tell_drafter(const engine::Pass& pass, const VerifiedDraft& verified) {
  rejected_.clear();
  if (traits_.wants_rejected) {
    rejected_nodes(tree_, verified.kept, rejected_);
    for (int& node : rejected_) node = first_row_ + row_of_[static_cast<std::size_t>(node)];
  }
  if (!request_.empty()) drafter_->observe(pass, {kept_, rejected_});
  // Whoever was not asked for a draft has none to be told of, and finds the tokens in the text of the next.
  if (was_asked_) drafter_->verified(verified.kept.subspan(1), verified.next);
}

/// Adds the time since the last lap; what comes after the last token does not count.
void Round::end_lap(double& seconds) {
  const double lap = clock_.lap();
  if (!sequence_->finished()) seconds += lap;
}

void Round::add_seconds(double verify, double sample) {
  if (turn_ != Turn::kDrafts) return;
  stats_.verify_seconds += verify;
  stats_.sample_seconds += sample;
}

DecodeResult Round::result() {
  if (drafter_ != nullptr) {
    draft::DrafterReport report = drafter_->report(draft_seconds_);
    stats_.draft_seconds = std::move(report.seconds);
    stats_.draft_counts = std::move(report.counts);
  }
  stats_.by_drafter = by_drafter_.results();
  stats_.rows = row_stats_;
  stats_.acceptance = acceptance_;
  stats_.by_pass.shrink_to_fit();
  const std::span<const Token> answer = sequence_->answer();
  return {{answer.begin(), answer.end()}, sequence_->finish_reason(), std::move(stats_)};
}

}  // namespace outrider::decode
