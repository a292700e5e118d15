#pragma once

#include <string>
#include <vector>

#include "calibrate/ngrams/bigram_trial.h"
#include "calibrate/ngrams/ngram_figures.h"
#include "calibrate/ngrams/unigram_trial.h"
#include "runtime/draft/ngram/ngram_tables.h"
#include "runtime/tokenizer/tokenizer.h"

namespace outrider::calibrate {

/// The results of each table and the chosen one, as text.
std::string trials_text(const std::vector<UnigramTrial>& unigrams,
                        const std::vector<BigramTrial>& bigrams, const draft::NgramTables& chosen,
                        const text::Tokenizer& tokenizer);

/// The results of the model's own continuation, as text.
std::string extension_text(const ExtensionTrial& trial);

/// Tokens per pass against the number of drafts, and the use of each source's drafts.
std::string curves_text(const DraftCurves& curves);
std::string uses_text(const DraftUses& uses);

/// The curves and the uses as one SVG picture.
std::string plot_of(const NgramFigures& figures);

}  // namespace outrider::calibrate
