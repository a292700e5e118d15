#include "train/run/work_folder.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

bool is_of_a_run(const std::string& name) {
  const WorkFolder work{};
  return name == work.checkpoint() || name == work.metrics() || name == work.curves() ||
         name == work.lock();
}

}  // namespace

std::optional<Checkpoint> WorkFolder::read() const {
  if (!std::filesystem::exists(checkpoint())) return {};
  return read_checkpoint(checkpoint());
}

std::string WorkFolder::recipe() const {
  if (!std::filesystem::exists(checkpoint())) return {};
  return read_recipe(checkpoint());
}

HeldFolder::HeldFolder(const WorkFolder& work) : work_(work) {
  std::error_code error;
  for (auto folder = work.path; !folder.empty() && !std::filesystem::exists(folder, error);
       folder = folder.parent_path())
    made_.push_back(folder);
  std::filesystem::create_directories(work.path, error);
  if (error) throw InputError(fmt::format("--work {}: {}", work.path.string(), error.message()));
}

HeldFolder::~HeldFolder() {
  std::error_code none;
  const bool has_files = std::filesystem::exists(work_.checkpoint(), none) ||
                         std::filesystem::exists(work_.metrics(), none) ||
                         std::filesystem::exists(work_.curves(), none);
  if (lock_ && lock_->is_new() && !has_files) lock_->remove();
  lock_.reset();
  for (const auto& folder : made_) std::filesystem::remove(folder, none);  // only if empty
}

std::vector<InputPath> run_at(const std::string& path) { return files_in(path, is_of_a_run); }

Checkpoint read_run(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) {
    if (!std::filesystem::exists(path))
      throw InputError(fmt::format(
          "{}: expected a checkpoint or the folder of a run, found nothing", path.string()));
    return read_checkpoint(path);
  }
  std::optional<Checkpoint> checkpoint = WorkFolder{path}.read();
  if (!checkpoint)
    throw InputError(fmt::format(
        "{}: expected the folder of a training run, found no checkpoint.h5 in it", path.string()));
  return std::move(*checkpoint);
}

}  // namespace outrider::train
