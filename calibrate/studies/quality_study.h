#pragma once

#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/journal/journal.h"
#include "data/study/quality.h"
#include "runtime/base/watch.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// What quantised arithmetic costs in perplexity and agreement, on answers that are given.
struct QualityStudy {
  std::vector<std::string> prompts;  // files of records with a "reference"
  bool skip_refused = false;
  int tokens = 50000;  // of answers to score, from the files in turn
};

struct FoundQuality {
  study::Quality quality;
  bool interrupted = false;  // before all tokens were scored
};

/// Reads the answers with the target and with a reference, and compares their distributions at every token.
class QualityRun {
 public:
  /// Reads the prompts and makes the reference. @param target, watch  must outlive it
  /// @param reference  of the target's model, in f32
  /// @throws InputError where no record has an answer that fits the context
  QualityRun(inference::Target& target, const engine::EngineOptions& reference,
             const QualityStudy& study, Watch& watch);
  ~QualityRun();

  /// The texts that are read.
  const std::vector<Answer>& texts() const { return texts_; }

  /// Goes on after the texts of which the journal has an entry.
  FoundQuality run(data::Journal& journal);

 private:
  std::vector<Answer> scored_texts(const QualityStudy& study) const;

  inference::Target& target_;
  Watch& watch_;
  std::vector<Answer> texts_;
  std::unique_ptr<engine::Engine> reference_;
};

}  // namespace outrider::calibrate
