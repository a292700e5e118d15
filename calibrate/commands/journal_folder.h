#pragma once

#include <filesystem>

namespace outrider::calibrate {

/// The folder for journals of commands that print what they find: others keep theirs beside the artifact file.
/// @throws InputError where it cannot be made
std::filesystem::path journal_folder();

}  // namespace outrider::calibrate
