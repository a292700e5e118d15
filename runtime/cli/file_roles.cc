#include "runtime/cli/file_roles.h"

#include "runtime/cli/used_files.h"

namespace outrider::cli {
namespace {

void note(const FileRole& role, const std::filesystem::path& output, UsedFiles& files) {
  if (role.use == FileRole::Use::kWrite) return files.write(role.flag, output);
  std::error_code none;
  if (std::filesystem::is_directory(output, none) || !output.has_filename())
    return files.update_one_of(role.flag, output);
  files.update(role.flag, output);
}

}  // namespace

std::vector<InputPath> file_at(const std::string& path) {
  if (path.empty()) return {};
  return {{path}};
}

std::vector<std::filesystem::path> written_at(const std::string& path) {
  if (path.empty()) return {};
  return {path};
}

void check_files(const FileRoles& roles) {
  UsedFiles files;
  for (const FileRole& role : roles) {
    if (role.use != FileRole::Use::kRead) continue;
    for (const std::string& value : role.texts())
      for (const InputPath& input : role.inputs(value)) files.read(input);
  }
  for (const FileRole& role : roles) {
    if (role.use == FileRole::Use::kRead) continue;
    for (const std::string& value : role.texts())
      for (const std::filesystem::path& output : role.outputs(value)) note(role, output, files);
  }
}

}  // namespace outrider::cli
