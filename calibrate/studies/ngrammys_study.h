#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/answers/find_answers.h"
#include "calibrate/ngrammys/bigram_trial.h"
#include "calibrate/ngrammys/ngrammys_figures.h"
#include "calibrate/ngrammys/unigram_trial.h"
#include "calibrate/studies/study_trials.h"
#include "runtime/draft/ngram/ngram_tables.h"

namespace outrider::calibrate {

// What is chosen as the one that is accepted more often, and the words for what is not.
inline constexpr const char* kBest = "best";
inline constexpr const char* kAlone = "none";
inline constexpr const char* kInChat = "chat";
inline constexpr const char* kByBigram = "bigram";
inline constexpr const char* kByModel = "model";

/// A search for the tables of next tokens of `unigram`, `bigram` and `ngrammys`.
struct NgrammysStudy {
  AnswerSource answers;
  int top = 32;                 // next tokens kept for every token
  std::string unigram = kBest;  // how tokens are ranked without a text: kBest, "distance", "inner"
  std::string context = kBest;  // what is before a bigram's token: kBest, kAlone, kInChat
  std::string extend = kByBigram;  // how drafts of bigrams continue: kByBigram, kByModel
  int extend_drafts = 4;           // with kByModel: their number
  int extend_length = 3;           // and tokens of each, with the first
  int batch = 128;                 // tokens in one pass
  StudyFiles files;
};

struct FoundNgrammys {
  std::vector<UnigramTrial> unigrams;
  std::vector<BigramTrial> bigrams;
  std::optional<ExtensionTrial> extension;  // with kByModel
  draft::TablesPtr tables;
  NgrammysFigures figures;
  StudyTrials shapes;  // of ngrammys: numbers and lengths of drafts
};

/// Makes the tables, chooses among them, tries drafts of every number and length, and writes the artifact's groups. An
/// interrupted study goes on beside the artifact file.
/// @throws InputError for a study that the target's vocabulary or chat format does not allow, and where no answer has two
///         tokens; PartDone, Interrupted
FoundNgrammys find_ngrammys(inference::Target& target, const NgrammysStudy& study, Watch& watch);

}  // namespace outrider::calibrate
