#include "calibrate/studies/heads_study.h"

#include <fmt/core.h>

#include <array>
#include <set>
#include <span>
#include <utility>

#include "calibrate/answers/halves_of_prompts.h"
#include "calibrate/answers/journal_of.h"
#include "calibrate/pld_plus/copied_tokens.h"
#include "calibrate/pld_plus/head_search.h"
#include "calibrate/pld_plus/head_sweep.h"
#include "calibrate/studies/copy_trials.h"
#include "calibrate/studies/left_of_studies.h"
#include "calibrate/studies/study_plans.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/base/error.h"

namespace outrider::calibrate {
namespace {

/// One call of find_heads.
class HeadsRun {
 public:
  HeadsRun(inference::Target& target, const CopyStudy& study, Watch& watch)
      : target_(target), study_(study), watch_(watch) {}

  FoundHeads run() {
    const StudyFiles& files = study_.files;
    const auto identity = artifacts::identity_of(target_.model());
    check_trials_files(files, identity, target_.engine().place().name, "pld-plus-a");
    const WorkShare share = files.share(watch_);
    Answers answers = find_answers(
        target_, study_.answers, files.artifact, "heads-answers", watch_,
        [&](const WorkAhead& ahead) {
          if (ahead.to_make > 0) announce(ahead, ahead.share(0.5), ahead.share(0.5));
        },
        [&](const auto& made) { return are_enough(made); });
    split(answers.all);
    journals_.push_back(journal_of(files.artifact, kHeadsCounted, target_, answers.all, "", share,
                                   halves_[0].size()));
    const auto left = journals_[0].left_of(halves_[0]);
    if (!left.empty())
      announce({}, work_on(left), journals_[0].is_part() ? WorkAhead() : work_on(halves_[1]));
    std::array<HeadSearch, 2> searches = {count_first_half(), HeadSearch(target_.engine())};
    const auto ranking = ranked_heads(searches[0].total(), target_.model().config.heads);
    journals_.push_back(journal_of(files.artifact, kHeadsTried, target_, answers.all, "", share,
                                   halves_[1].size()));
    announce({}, {}, work_on(journals_[1].left_of(halves_[1])));
    const HeadSweep sweep = try_out(ranking, searches[1]);
    end_share(share);
    draft::PldPlusHeads heads = counts(searches, ranking);
    const std::size_t best = note_sweep(sweep, study_.draft_length, heads);
    CopyTrials copies = try_copies(target_.engine(), halves_[1], {}, files.known(identity, watch_),
                                   sweep.table().only(best));
    heads.temperatures = std::move(copies.temperatures);
    copies.tried.set_drafter(heads.choice());
    const MadeBy how = {"calibrate heads", target_.engine().place(), answers.seed,
                        answers.identity};
    files.write(identity, artifacts::kPldPlusHeads, how,
                [&](hdf5::Writer& file, const std::string& group) {
                  artifacts::write_pld_plus_heads(heads, file, group);
                });
    write_trials(files, identity, how, {{"pld-plus-a", copies.tried.trials}},
                 copies.tried.drafting);
    for (data::Journal& journal : journals_) journal.remove();
    if (answers.made) answers.made->remove();
    return {std::move(heads), searches[0].total().tokens, std::move(copies.tried)};
  }

 private:
  /// Once, before whatever comes first. @param counted, tried  what is left of the two parts
  void announce(const WorkAhead& ahead, const WorkAhead& counted, const WorkAhead& tried) {
    if (!watch_.is_heard() || std::exchange(is_announced_, true)) return;
    std::vector<PlannedPart> parts = making_part(ahead);
    for (PlannedPart& part : heads_parts(target_.engine(), counted, tried))
      parts.push_back(std::move(part));
    watch_.plan(parts);
  }

  /// Assigns prompts alternately to the two halves, with all their answers.
  void split(const std::vector<Answer>& answers) {
    HalvesOfPrompts halves;
    for (const Answer& answer : answers) halves_[halves.half_of(answer)].push_back(answer);
    if (halves.prompts() < 2)
      throw InputError("calibrate heads: expected answers to at least two prompts, found one");
  }

  /// Whether the ranking half has enough copied tokens.
  bool are_enough(const std::vector<Answer>& answers) const {
    HalvesOfPrompts halves;
    std::int64_t tokens = 0;
    for (const Answer& answer : answers)
      if (halves.half_of(answer) == 0) tokens += copied_tokens(answer);
    watch_.inform(fmt::format("{} copied tokens to rank heads by, {} wanted", tokens,
                              FoundHeads::kEnoughTokens));
    return tokens >= FoundHeads::kEnoughTokens;
  }

  /// The number of tokens, then the hits, [1 + layers * heads].
  data::Journal::Entry numbers_of(const HeadHits& counted) const {
    const model::ModelConfig& config = target_.model().config;
    data::Journal::Entry numbers = {static_cast<std::int32_t>(counted.tokens)};
    for (const std::int64_t hits : counted.hits) numbers.push_back(static_cast<std::int32_t>(hits));
    numbers.resize(1 + static_cast<std::size_t>(config.layers * config.heads));
    return numbers;
  }
  /// Adds the counts at the front of an entry to `search`, and removes them from the entry.
  /// @return false for an entry that is too short
  bool add_kept(const Answer& answer, std::span<const std::int32_t>& kept,
                HeadSearch& search) const {
    const model::ModelConfig& config = target_.model().config;
    const auto heads = static_cast<std::size_t>(config.layers * config.heads);
    if (kept.size() < 1 + heads) return false;
    const auto hits = kept.subspan(1, heads);
    search.add(answer.task, {{hits.begin(), hits.end()}, kept[0]});
    kept = kept.subspan(1 + heads);
    return true;
  }

  HeadSearch count_first_half() {
    HeadSearch search(target_.engine());
    for_each_answer(
        "answers counted", halves_[0], watch_, journals_[0],
        [&](const Answer& answer) {
          HeadSearch one(target_.engine());
          one.add(answer);
          search.add(answer.task, one.total());
          return numbers_of(one.total());
        },
        [&](const Answer& answer, const data::Journal::Entry& entry) {
          std::span<const std::int32_t> kept = entry;
          return add_kept(answer, kept, search) && kept.empty();
        });
    if (search.total().tokens == 0)
      throw InputError("calibrate heads: no answer repeats a token of its prompt");
    return search;
  }

  /// Tries the ranking on the second half, whose copied tokens are counted in the same passes.
  HeadSweep try_out(const std::vector<engine::Head>& ranking, HeadSearch& counted) {
    HeadSweep sweep(target_.engine(), ranking, head_choices(target_.model().config));
    for_each_answer(
        "answers tried", halves_[1], watch_, journals_[1],
        [&](const Answer& answer) {
          HeadSearch one(target_.engine());
          sweep.add(answer, &one);
          counted.add(answer.task, one.total());
          data::Journal::Entry found = numbers_of(one.total());
          const auto noted = sweep.table().last_noted();
          found.insert(found.end(), noted.begin(), noted.end());
          return found;
        },
        [&](const Answer& answer, const data::Journal::Entry& entry) {
          std::span<const std::int32_t> kept = entry;
          return add_kept(answer, kept, counted) && sweep.table().restore(answer, kept);
        });
    return sweep;
  }

  draft::PldPlusHeads counts(const std::array<HeadSearch, 2>& searches,
                             const std::vector<engine::Head>& ranking) const {
    draft::PldPlusHeads found;
    found.layers = target_.model().config.layers;
    found.heads = target_.model().config.heads;
    std::set<std::string> tasks;
    for (const HeadSearch& search : searches)
      for (const auto& [task, counted] : search.by_task()) tasks.insert(task);
    found.tasks.assign(tasks.begin(), tasks.end());
    for (const HeadSearch& search : searches) {
      for (const std::string& task : found.tasks) {
        const auto of_task = search.by_task().find(task);
        HeadHits counted = of_task == search.by_task().end() ? HeadHits() : of_task->second;
        counted.hits.resize(ranking.size());
        found.tokens.push_back(counted.tokens);
        found.hits.insert(found.hits.end(), counted.hits.begin(), counted.hits.end());
      }
    }
    for (const engine::Head& head : ranking) {
      found.ranking.push_back(head.layer);
      found.ranking.push_back(head.head);
    }
    return found;
  }

  inference::Target& target_;
  const CopyStudy& study_;
  Watch& watch_;
  std::array<std::vector<Answer>, 2> halves_;  // to rank by, and to try on
  std::vector<data::Journal> journals_;        // of each half
  bool is_announced_ = false;
};

}  // namespace

FoundHeads find_heads(inference::Target& target, const CopyStudy& study, Watch& watch) {
  return HeadsRun(target, study, watch).run();
}

}  // namespace outrider::calibrate
