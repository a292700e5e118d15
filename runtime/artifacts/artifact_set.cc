#include "runtime/artifacts/artifact_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "runtime/base/error.h"

namespace outrider::artifacts {
namespace {

namespace fs = std::filesystem;

bool is_artifact_name(const std::string& name) { return name.ends_with(".h5"); }

/// The files *.h5 of a folder, by name; none if the folder does not exist.
std::vector<fs::path> artifact_paths(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (is_artifact_name(entry.path().filename().string())) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// When a group was written; "", before all others, where the file has no date of it.
std::string date_of(const ArtifactFile& file, const std::string& group) {
  try {
    return read_provenance(file.reader(), group).date;
  } catch (const InputError&) {
    return "";
  }
}

bool names_folder(const fs::path& path) { return fs::is_directory(path) || !path.has_filename(); }

}  // namespace

ArtifactSet::ArtifactSet(TargetIdentity target, const fs::path& named, const Folders& folders)
    : target_(std::move(target)), named_(named.string()) {
  if (!named.empty()) add_named(named);
  for (const fs::path& folder : folders) add_folder(folder);
}

void ArtifactSet::add_named(const fs::path& named) {
  if (!names_folder(named)) {
    tried_.push_back(named);
    ArtifactFile file(named);
    file.check_made_for(target_);
    folders_.emplace_back().push_back(std::move(file));
    return;
  }
  std::error_code error;
  const fs::directory_iterator readable(named, error);
  if (error && error != std::errc::no_such_file_or_directory)
    throw InputError(fmt::format("{}: {}", named_, error.message()));
  add_folder(named);
  if (folders_.empty())
    throw InputError(
        fmt::format("{}: expected an artifact file (*.h5) made for {} ({}), found none{}{}", named_,
                    target_.name, target_.model_hash, refused_.empty() ? "" : "; cannot read ",
                    fmt::join(refused_, "; ")));
}

void ArtifactSet::add_folder(const fs::path& folder) {
  Files files;
  for (const fs::path& path : artifact_paths(folder)) {
    if (was_tried(path)) continue;
    tried_.push_back(path);
    try {
      ArtifactFile file(path);
      if (difference(file.target(), target_).empty()) files.push_back(std::move(file));
    } catch (const InputError& error) {
      refused_.emplace_back(error.what());
    }
  }
  if (!files.empty()) folders_.push_back(std::move(files));
}

bool ArtifactSet::was_tried(const fs::path& path) const {
  std::error_code none;
  return std::any_of(tried_.begin(), tried_.end(),
                     [&](const fs::path& one) { return fs::equivalent(one, path, none); });
}

std::vector<std::string> ArtifactSet::groups() const {
  std::set<std::string> groups;
  for (const Files& files : folders_) {
    for (const ArtifactFile& file : files) {
      const std::vector<std::string> of_file = file.groups();
      groups.insert(of_file.begin(), of_file.end());
    }
  }
  return {groups.begin(), groups.end()};
}

const ArtifactFile* ArtifactSet::with(const std::string& group) const {
  for (const Files& files : folders_) {
    const ArtifactFile* newest = nullptr;
    std::string date;
    for (const ArtifactFile& file : files) {
      if (!file.has(group)) continue;
      const std::string of_file = date_of(file, group);
      if (newest != nullptr && of_file <= date) continue;
      newest = &file;
      date = of_file;
    }
    if (newest != nullptr) return newest;
  }
  return nullptr;
}

const ArtifactFile* ArtifactSet::with(const std::string& group, const std::string& command) const {
  const ArtifactFile* file = with(group);
  if (file == nullptr && !named_.empty())
    throw InputError(fmt::format("{}: has no {}; `{}` makes it", named_, group.substr(1), command));
  return file;
}

std::vector<InputPath> inputs_at(const fs::path& named, const Folders& folders) {
  std::vector<InputPath> inputs;
  if (!named.empty()) inputs = files_in(named, is_artifact_name);
  for (const fs::path& folder : folders) inputs.push_back({folder, is_artifact_name});
  for (InputPath& input : inputs) input.may_be_updated = true;
  return inputs;
}

std::string file_to_read(const std::string& named, const TargetIdentity& target) {
  if (!fs::is_directory(named)) return fs::exists(named) ? named : "";
  ArtifactSet in_folder(target);
  in_folder.add_folder(named);
  return in_folder.groups().empty() ? "" : named;
}

ArtifactFolder::ArtifactFolder(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw InputError(fmt::format("{}: expected a folder", folder.string()));
  for (const fs::path& path : artifact_paths(folder)) {
    try {
      ArtifactFile file(path);
      auto set = std::find_if(sets.begin(), sets.end(), [&file](const ArtifactSet& one) {
        return difference(file.target(), one.target()).empty();
      });
      if (set == sets.end()) {
        set = sets.insert(sets.end(), ArtifactSet(file.target()));
        set->folders_.emplace_back();
      }
      set->folders_.front().push_back(std::move(file));
    } catch (const InputError& error) {
      refused.emplace_back(error.what());
    }
  }
  std::stable_sort(sets.begin(), sets.end(), [](const ArtifactSet& one, const ArtifactSet& other) {
    return one.target().name < other.target().name;
  });
}

fs::path file_to_write(const fs::path& named, const Folders& folders, const TargetIdentity& target,
                       const std::string& group) {
  if (!named.empty() && !names_folder(named)) return named;
  std::string name = target.name;
  if (name.ends_with(".gguf")) name.resize(name.size() - std::string(".gguf").size());
  std::string of_group = group.substr(1);
  std::replace(of_group.begin(), of_group.end(), '/', '-');
  return (named.empty() ? folders.front() : named) / fmt::format("{}.{}.h5", name, of_group);
}

}  // namespace outrider::artifacts
