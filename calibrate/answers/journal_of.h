#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "data/journal/journal.h"
#include "runtime/inference/target.h"

namespace outrider::calibrate {

/// The journal of one part of a command's work on answers, next to the artifact file.
/// @param part      of the work, such as "heads"
/// @param settings  that the work depends on, besides the model, the answers and the program's
///                  version
data::Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                         const inference::Target& target, const std::vector<Answer>& answers,
                         const std::string& settings);
/// The same of work that can be divided. @param entries  that all of it has
data::Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                         const inference::Target& target, const std::vector<Answer>& answers,
                         const std::string& settings, const WorkShare& share, std::size_t entries);

/// The journal of work that only reads the model's traces. @param traces  the hash of their content
data::Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                         const model::Model& model, const std::string& traces);

/// The journal of work whose result is printed, so that there is no artifact file to keep it beside. Its name is the work's,
/// so that commands that do other work leave it alone.
/// @param folder  for such journals
data::Journal journal_in(const std::filesystem::path& folder, const std::string& part,
                         const inference::Target& target, const std::vector<Answer>& answers,
                         const std::string& settings);

/// How many entries the journal of answers has already; its file is only read.
std::size_t kept_in_journal(const std::filesystem::path& artifact, const std::string& part,
                            const inference::Target& target, const std::vector<Answer>& answers,
                            const std::string& settings);

}  // namespace outrider::calibrate
