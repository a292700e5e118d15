#include "runtime/methods/ngram_settings.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/ngrammys.h"
#include "runtime/base/error.h"
#include "runtime/cli/decode_options.h"
#include "runtime/draft/ngram/table_ngrams.h"
#include "runtime/engine/machine.h"
#include "runtime/methods/calibrated.h"

namespace outrider {
namespace {

/// Where no flag says how many drafts, or how long, those that were found to be the fastest here for
/// ngrammys: the price of rows is the same for all.
void take_fastest(DecodeOptions& options, const artifacts::ArtifactSet& known) {
  const std::string group = artifacts::ngrammys_grid_group(engine::machine_name());
  const artifacts::ArtifactFile* file = known.with(group);
  if ((options.drafts && options.draft_length) || file == nullptr) return;
  const auto best = artifacts::read_ngrammys_grid(file->reader(), group).best_drafting();
  options.drafts = options.drafts.value_or(best.drafts);
  options.draft_length = options.draft_length.value_or(best.draft_length);
}

}  // namespace

void settle_ngrams(DecodeOptions& options, const model::Model& model,
                   const engine::Engine& /*engine*/) {
  const artifacts::ArtifactSet known = artifacts_of(options, model);
  const auto* file = calibrated(options, known, artifacts::kNgrammys, "calibrate ngrams");
  if (file == nullptr)
    throw InputError(fmt::format(
        "--method {}: found no artifact file for {} in {}/ with its tables; `calibrate "
        "ngrams -m {}` makes it, --artifacts names one elsewhere",
        options.method, known.target().name, artifacts::kArtifactFolder, options.model));
  auto tables = artifacts::read_ngrammys(*file);
  take_fastest(options, known);
  const int most = options.method == "unigram" ? tables.vocab() : tables.top;
  const int drafts = options.drafts.value_or(kDrafts);
  if (drafts > most)
    throw InputError(fmt::format(
        "--drafts: found {}, but the table keeps {}; `calibrate ngrams --keep-top {}` makes more",
        drafts, most, drafts));
  options.ngram_tables = std::make_shared<draft::NgramTables>(std::move(tables));
}

draft::TreeForm form_of(const DecodeOptions& options) {
  return options.rows ? draft::TreeForm::kRows : draft::TreeForm::kMerged;
}

std::unique_ptr<draft::Drafter> make_unigram(const DecodeOptions& options) {
  return std::make_unique<draft::Unigram>(options.ngram_tables, options.drafts.value_or(kDrafts),
                                          form_of(options));
}

std::unique_ptr<draft::Drafter> make_bigram(const DecodeOptions& options) {
  return std::make_unique<draft::Bigram>(
      options.ngram_tables,
      draft::BigramOptions{options.drafts.value_or(kDrafts),
                           options.draft_length.value_or(kDraftLength), form_of(options)});
}

std::unique_ptr<draft::Drafter> make_ngrammys(const DecodeOptions& options) {
  return std::make_unique<draft::NGrammys>(
      options.ngram_tables,
      draft::NGrammysOptions{options.query, options.drafts.value_or(kDrafts),
                             options.draft_length.value_or(kDraftLength), form_of(options)});
}

}  // namespace outrider
