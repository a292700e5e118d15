#pragma once

#include <string>
#include <vector>

#include "calibrate/ngrams/bigram_trial.h"
#include "calibrate/ngrams/draft_curves.h"
#include "calibrate/ngrams/draft_uses.h"
#include "calibrate/ngrams/unigram_trial.h"
#include "runtime/artifacts/ngram_tables.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::calibrate {

/// How each table did and which was chosen, for a person.
std::string trials_text(const std::vector<UnigramTrial>& unigrams,
                        const std::vector<BigramTrial>& bigrams,
                        const artifacts::NgramTables& chosen, const text::Tokenizer& tokenizer);

/// The same of the model's own continuation.
std::string extension_text(const ExtensionTrial& trial);

/// Tokens per pass against the number of drafts, and what became of the drafts of each source.
std::string curves_text(const DraftCurves& curves);
std::string uses_text(const DraftUses& uses);

/// Both as one SVG picture.
std::string ngrams_plot(const DraftCurves& curves, const DraftUses& uses);

/// Adds the tokens per pass that each gave, to be seen beside the tables.
void write_trials(const std::vector<UnigramTrial>& unigrams,
                  const std::vector<BigramTrial>& bigrams, hdf5::Writer& file,
                  const std::string& group);

}  // namespace outrider::calibrate
