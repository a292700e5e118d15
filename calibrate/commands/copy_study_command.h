#pragma once

#include <functional>
#include <string>

#include "calibrate/commands/answers.h"
#include "calibrate/studies/copy_study.h"

namespace outrider::calibrate {

/// What differs between the commands that look for the sources of PLD+'s copies.
struct CopyStudyCommand {
  const char* name;
  const char* description;
  const char* footer;
  const char* compared;  // what drafts of --draft-length compare
  const char* plotted;   // what --plot draws
  const char* group;     // of the artifact file
  int samples;           // of each prompt; 0: as many as needed
  std::function<ShownStudy(inference::Target&, const CopyStudy&, Watch&)> find;
};

cli::Command add_copy_study(CLI::App& program, const CopyStudyCommand& study);

}  // namespace outrider::calibrate
