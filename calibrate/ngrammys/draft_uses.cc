#include "calibrate/ngrammys/draft_uses.h"

#include <algorithm>

#include "runtime/draft/ngram/ngrammys_drafter.h"

namespace outrider::calibrate {
namespace {

SourceUse use_of(const std::string& name, const draft::RowCounts& counts, double passes, int drafts,
                 int draft_length) {
  const auto share = [passes](const std::vector<std::int64_t>& numbers, int of) {
    const auto index = static_cast<std::size_t>(of);
    return index < numbers.size() ? static_cast<double>(numbers[index]) / passes : 0;
  };
  SourceUse use{name, {}, {}, {}};
  for (int length = 1; length <= draft_length; ++length)
    use.by_length.push_back(share(counts.passes_by_accepted, length));
  for (int rank = 0; rank < drafts; ++rank) use.by_rank.push_back(share(counts.accepted, rank));
  // Passes with a draft of one rank also have drafts of all lower ranks.
  double at_least = 1;
  for (int had = 0; had <= drafts; ++had) {
    const double more = had < drafts ? share(counts.allotted, had) : 0;
    use.by_drafts.push_back(at_least - more);
    at_least = more;
  }
  return use;
}

}  // namespace

DraftUses draft_uses(const std::vector<Answer>& answers, const draft::TablesPtr& tables) {
  DraftUses uses;
  uses.drafts = std::min(10, tables->top);
  uses.draft_length = 10;
  draft::NGrammys drafter(tables, {.drafts = uses.drafts, .draft_length = uses.draft_length});
  const Replay replay = replay_all(answers, &drafter);
  for (const draft::Source source : {draft::Source::kContext, draft::Source::kBigram})
    uses.sources.push_back(use_of(draft::name_of(source), replay.rows.of(source),
                                  static_cast<double>(std::max<std::int64_t>(1, replay.passes)),
                                  uses.drafts, uses.draft_length));
  return uses;
}

}  // namespace outrider::calibrate
