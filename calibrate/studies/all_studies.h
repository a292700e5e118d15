#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibrate/answers/find_answers.h"
#include "calibrate/studies/missing_studies.h"
#include "calibrate/studies/study_files.h"
#include "runtime/base/watch.h"

namespace outrider::calibrate {

inline constexpr double kMinutesOfAll = 30;

/// All that a model lacks.
struct AllStudies {
  AnswerSource answers;  // that the studies work on; of no samples: as many as there is time for
  std::filesystem::path traces;  // a folder for answers that are made
  StudyFiles files;
  bool again = false;              // also what the model has results of
  double minutes = kMinutesOfAll;  // for all of it; 0: any
};

struct DoneStudies {
  std::vector<MissingStudy> studies;  // with what became of them
  std::vector<std::string> failed;    // the names of those that their texts did not do for
  bool whole = true;                  // else interrupted: the rest is not done yet
};

/// Does a study. @param traces  the folder of the answers
using DoStudy = std::function<void(const MissingStudy&, const std::string& traces)>;

/// Tells what is missing and how long it takes, makes the answers and does one study after the other.
/// @param target  its memory is given back before the studies, which load the model themselves
/// @throws InputError for answers that cannot be made
DoneStudies do_all_studies(std::unique_ptr<inference::Target> target, const AllStudies& all,
                           const DoStudy& do_study, Watch& watch);

}  // namespace outrider::calibrate
