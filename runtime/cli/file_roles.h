#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/input_path.h"

namespace outrider::cli {

/// What a command does with the files that one of its options names.
struct FileRole {
  enum class Use { kRead, kWrite, kUpdate };
  using Texts = std::function<std::vector<std::string>()>;
  using Inputs = std::function<std::vector<InputPath>(const std::string& value)>;
  using Outputs = std::function<std::vector<std::filesystem::path>(const std::string& value)>;

  std::string flag;  // "--json"
  Use use;
  Texts texts;           // the option's values; an option that is not given may have an empty one
  Inputs inputs = {};    // that are read for a value
  Outputs outputs = {};  // that are written for a value
};
using FileRoles = std::vector<FileRole>;

/// The file at a path; none where that is empty.
std::vector<InputPath> file_at(const std::string& path);
/// The same for an output.
std::vector<std::filesystem::path> written_at(const std::string& path);

/// Checks before any work that no output replaces an input or another output.
/// @throws InputError as UsedFiles
void check_files(const FileRoles& roles);

}  // namespace outrider::cli
