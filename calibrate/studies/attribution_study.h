#pragma once

#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/journal/journal.h"
#include "data/study/attribution_score.h"
#include "runtime/base/watch.h"
#include "runtime/inference/target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::calibrate {

/// How well copied drafts attribute given answers, whose marks name the source of what they copy.
struct AttributionStudy {
  std::string prompts;  // a file of records with a "reference"
  bool skip_refused = false;
  std::vector<int> spans = {2, 5, 8};  // shortest spans in tokens, each with a score
  /// The text before the first source, in place of the prompt's own, which may ask for marks.
  std::string instruction = "Answer the question by combining the sources below.";
  int prefill_chunk = 64;
};

/// Marked answers with their prompts.
struct MarkedAnswers {
  std::vector<Answer> answers;
  std::vector<study::KnownCopies> known;  // [answers]
};

/// The records that mark sources. @throws InputError for one that does not fit the context, or where there is none
MarkedAnswers marked_answers(const AttributionStudy& study, const inference::Target& target);

/// Goes on after the answers of which the journal has an entry. @return [spans] @throws Interrupted
std::vector<study::AttributionScore> score_attribution(const MarkedAnswers& marked,
                                                       const AttributionStudy& study,
                                                       const methods::PreparedMethod& method,
                                                       inference::Target& target,
                                                       data::Journal& journal, Watch& watch);

}  // namespace outrider::calibrate
