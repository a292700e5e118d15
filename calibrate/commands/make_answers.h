#pragma once

#include <filesystem>

#include "calibrate/commands/answers.h"

namespace outrider::calibrate {

/// Has the target answer the prompts, conversation by conversation; each is kept beside the artifact
/// file as soon as it has ended, so that a run that was broken off goes on behind it.
/// @param part    names the file that keeps them, as in `journal_of`
/// @param enough  asked after every round; without a number of samples there are rounds until it is
/// @throws Interrupted
Answers make_answers(inference::Target& target, const AnswerOptions& options,
                     const std::filesystem::path& artifact, const std::string& part,
                     const Enough& enough);

}  // namespace outrider::calibrate
