#include "calibrate/studies/missing_studies.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "calibrate/studies/left_of_studies.h"
#include "calibrate/studies/study_plans.h"
#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/draft_group.h"
#include "runtime/artifacts/ngrammys_group.h"
#include "runtime/artifacts/pair_counts_group.h"
#include "runtime/artifacts/parallelspec_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/base/error.h"
#include "runtime/methods/shared_settings.h"

namespace outrider::calibrate {
namespace {

constexpr int kKeepTop = 32, kBatch = 128;  // of calibrate ngrammys

/// Lists the studies of a target.
class Missing {
 public:
  Missing(const artifacts::ArtifactSet& known, bool again) : known_(known), again_(again) {}

  std::vector<MissingStudy> all(const engine::Engine& engine, double cost_minutes) {
    MissingStudy cost = {"cost", {"--minutes", fmt::format("{:g}", cost_minutes)}};
    cost.needs_traces = false;
    cost.outcome = why_not(artifacts::cost_group(engine.place().name), [&](const File&) {
      return artifacts::measured_cost(known_, engine).has_value();
    });
    studies_ = {std::move(cost),
                {"heads", {}, why_not_heads()},
                {"layer", {}, why_not_layer()},
                {"ngrammys", {}, why_not_ngrammys()}};
    add_drafters();
    return std::move(studies_);
  }

 private:
  using File = artifacts::ArtifactFile;

  /// Why a group is not made: there is one, which can be read. One of an earlier form is made anew.
  /// @param has  (file with the group) -> whether what it has will do. @throws InputError if it cannot be read
  template <typename Has>
  std::string why_not(const std::string& group, const Has& has) const {
    const File* const file = again_ ? nullptr : known_.with(group);
    try {
      if (file == nullptr || !has(*file)) return "";
    } catch (const InputError&) {
      return "";
    }
    return fmt::format("{} has it", file->reader().name());
  }

  std::string why_not_trials(const std::string& method) const {
    const std::string group = artifacts::trials_group(method);
    return why_not(group, [&](const File& file) {
      artifacts::read_trials(file.reader(), group);
      return true;
    });
  }

  // A group and the trials of a method, which one study finds.

  std::string why_not_heads() const {
    const std::string why = why_not(artifacts::kPldPlusHeads, [](const File& file) {
      artifacts::read_pld_plus_heads(file.reader(), artifacts::kPldPlusHeads);
      return true;
    });
    return why.empty() ? why : why_not_trials("pld-plus-a");
  }
  std::string why_not_layer() const {
    const std::string why = why_not(artifacts::kPldPlusLayer, [](const File& file) {
      artifacts::read_pld_plus_layer(file.reader(), artifacts::kPldPlusLayer);
      return true;
    });
    return why.empty() ? why : why_not_trials("pld-plus-h");
  }
  std::string why_not_ngrammys() const {
    const std::string why = why_not(artifacts::kNgrammys, [](const File& file) {
      artifacts::read_ngrammys(file);
      return true;
    });
    return why.empty() ? why : why_not_trials("ngrammys");
  }
  std::string why_not_pair_counts() const {
    return why_not(artifacts::kPairCounts, [](const File& file) {
      artifacts::read_pair_counts(file);
      return true;
    });
  }

  /// What is found out of drafters that were trained.
  void add_drafters() {
    using Flavour = draft::ParallelSpecModel::Flavour;
    const auto trained = [&](Flavour flavour) {
      return known_.with(artifacts::parallelspec_group(flavour)) != nullptr;
    };
    std::string no_drafter;
    if (!trained(Flavour::kEagle) && !trained(Flavour::kMedusa) && !trained(Flavour::kMedusaHeads))
      no_drafter = "there is no drafter of one pass (train parallelspec)";
    studies_.push_back(
        {"pair-counts", {}, no_drafter.empty() ? why_not_pair_counts() : no_drafter});
    std::string no_draft;
    if (known_.with(artifacts::kDraft) == nullptr)
      no_draft = "there is no draft model (train draft)";
    studies_.push_back({"ssd", {}, no_draft.empty() ? why_not_trials("ssd") : no_draft});
    studies_.push_back({"gsd", {}, no_draft.empty() ? why_not_trials("gsd") : no_draft});
    for (const Flavour flavour : {Flavour::kEagle, Flavour::kMedusa, Flavour::kEagleAr})
      if (trained(flavour))
        studies_.push_back({"parallelspec",
                            {"--flavour", draft::name_of(flavour)},
                            why_not_trials(draft::method_of(flavour))});
  }

  const artifacts::ArtifactSet& known_;
  bool again_;
  std::vector<MissingStudy> studies_;
};

double sum_of(const std::vector<PlannedPart>& parts) {
  double seconds = 0;
  for (const PlannedPart& part : parts) seconds += part.seconds;
  return seconds;
}

/// What is left of the two parts of heads or layers.
std::pair<WorkAhead, WorkAhead> left_of(bool are_heads, const inference::Target& target,
                                        const WorkAhead& ahead, const std::vector<Answer>& answers,
                                        const StudyFiles& files) {
  if (answers.empty())
    return are_heads ? std::pair{ahead.share(0.5), ahead.share(0.5)} : std::pair{ahead, ahead};
  const auto file = files.file_of(artifacts::identity_of(target.model()),
                                  are_heads ? artifacts::kPldPlusHeads : artifacts::kPldPlusLayer);
  return are_heads ? left_of_heads(file, target, answers)
                   : left_of_layer(file, target, answers, methods::kDraftLength);
}

}  // namespace

std::string MissingStudy::command() const {
  const bool has_flavour = name == "parallelspec";
  return fmt::format("calibrate {}{}{}", name, has_flavour ? " " : "",
                     fmt::join(has_flavour ? flags : std::vector<std::string>(), " "));
}

std::vector<MissingStudy> missing_studies(const artifacts::ArtifactSet& known,
                                          const engine::Engine& engine, bool again,
                                          double cost_minutes) {
  return Missing(known, again).all(engine, cost_minutes);
}

void estimate(inference::Target& target, const WorkAhead& ahead, const std::vector<Answer>& answers,
              const StudyFiles& files, std::vector<MissingStudy>& studies) {
  engine::Engine& engine = target.engine();
  const int vocab = target.model().config.vocab;
  for (MissingStudy& study : studies) {
    if (!study.outcome.empty()) continue;
    if (study.name == "cost") study.seconds = 60 * std::stod(study.flags.back());
    if (study.name == "heads" || study.name == "layer") {
      const bool are_heads = study.name == "heads";
      const auto [first, second] = left_of(are_heads, target, ahead, answers, files);
      study.seconds = sum_of(are_heads ? heads_parts(engine, first, second)
                                       : layer_parts(engine, first, second));
    }
    if (study.name != "ngrammys") continue;
    BigramTable begun;
    begun.top = std::min(kKeepTop, vocab);
    const double table = sum_of(bigram_parts(engine, begun, kBatch, vocab));
    const int tables = target.chat().end_of_turn().empty() ? 1 : 2;
    study.seconds = tables * table + ngram_settings_part(ahead, vocab, kKeepTop).seconds;
  }
}

}  // namespace outrider::calibrate
