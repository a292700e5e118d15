#include "runtime/commands/ngram_settings.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/artifacts/find_artifact.h"
#include "runtime/artifacts/ngram_tables.h"
#include "runtime/base/error.h"
#include "runtime/commands/calibrated.h"
#include "runtime/commands/decode_options.h"
#include "runtime/draft/table_ngrams.h"

namespace outrider {
void settle_ngrams(DecodeOptions& options, const model::Model& model) {
  const auto file = calibrated(options, model, artifacts::kNgramGroup, "calibrate ngrams");
  if (!file)
    throw InputError(
        fmt::format("--method {}: found no artifact file for {} in {}/ with its tables; `calibrate "
                    "ngrams -m {}` makes it, --artifacts names one elsewhere",
                    options.method, artifacts::identity_of(model).name, artifacts::kArtifactFolder,
                    options.model));
  auto tables = artifacts::read_ngram_tables(*file);
  const int most = options.method == "unigram" ? tables.vocab() : tables.top;
  if (options.drafts > most)
    throw InputError(fmt::format(
        "--drafts: found {}, but the table keeps {}; `calibrate ngrams --keep-top {}` makes more",
        options.drafts, most, options.drafts));
  options.ngram_tables = std::make_shared<artifacts::NgramTables>(std::move(tables));
}

std::unique_ptr<draft::Drafter> make_unigram(const DecodeOptions& options) {
  return std::make_unique<draft::Unigram>(options.ngram_tables, options.drafts);
}

std::unique_ptr<draft::Drafter> make_bigram(const DecodeOptions& options) {
  return std::make_unique<draft::Bigram>(
      options.ngram_tables,
      draft::BigramOptions{options.drafts, options.draft_length.value_or(kDraftLength)});
}

std::unique_ptr<draft::Drafter> make_ngrammys(const DecodeOptions& options) {
  return std::make_unique<draft::NGrammys>(
      options.ngram_tables, draft::NGrammysOptions{options.query, options.drafts,
                                                   options.draft_length.value_or(kDraftLength)});
}

}  // namespace outrider
