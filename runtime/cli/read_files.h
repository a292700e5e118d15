#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/base/input_path.h"

// What is read where an option names a model, a drafter or results of calibration, or names none and files are found.
namespace outrider::cli {

/// A GGUF file with all its parts, or a Hugging Face folder.
std::vector<InputPath> model_at(const std::string& path);
/// The artifact file or folder, and the folders where others are looked for, whether one is named or not.
std::vector<InputPath> artifacts_at(const std::string& path);
/// The artifact file that is updated, or the folder of one.
std::vector<std::filesystem::path> updated_at(const std::string& path);
/// A model, or artifacts with a drafter; where it is not named, it is looked for among artifacts.
std::vector<InputPath> drafter_at(const std::string& path);
/// A file of prompts, where those shipped with the programs are found from any folder.
std::vector<InputPath> prompts_at(const std::string& path);
/// A text, for which "-" stands for standard input.
std::vector<InputPath> input_of_text(const std::string& text);

}  // namespace outrider::cli
