#pragma once

#include <string>
#include <vector>

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

  FoundQuality run();

 private:
  struct ScoredText {
    std::vector<Token> tokens;
    std::size_t first;  // of the answer
  };
  std::vector<ScoredText> scored_texts(const QualityStudy& study) const;

  inference::Target& target_;
  Watch& watch_;
  std::vector<ScoredText> texts_;
  std::unique_ptr<engine::Engine> reference_;
};

}  // namespace outrider::calibrate
