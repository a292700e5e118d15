#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "data/journal/journal.h"
#include "runtime/base/stopwatch.h"
#include "runtime/base/watch.h"
#include "train/disco/fit_classifier.h"

namespace outrider::train {

/// How far the trainings of a command have come, kept in a journal beside the artifact file: an interrupted or killed
/// run goes on with the classifiers that it has, and within the one that it was at.
class StopTrainingWork {
 public:
  /// @param artifact  that the result will be written to
  /// @param set       the texts that it is for
  /// @param work      identifies everything that training depends on
  /// @param watch     asked whether to end, and shown the passes that are done; must outlive it
  /// @throws InputError for a journal with contents that cannot be
  StopTrainingWork(const std::filesystem::path& artifact, const std::string& set,
                   const std::string& work, Watch& watch);

  /// Passes over the tokens that are done, of all trainings.
  std::int64_t epochs_done() const;

  /// How the number-th training goes on. It is kept every few seconds, at its end, and when the command is interrupted.
  /// @param epochs  that it has
  /// @throws Interrupted from within training
  FitResumed resumed(int number, int epochs);

  /// Once the result is stored.
  void remove() { journal_.remove(); }

 private:
  void keep(int number, const FitState& state);

  Watch& watch_;
  data::Journal journal_;
  std::map<int, FitState> states_;  // the last one of each training
  Stopwatch since_kept_;
};

}  // namespace outrider::train
