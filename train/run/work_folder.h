#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/base/file_lock.h"
#include "runtime/base/input_path.h"
#include "train/checkpoints/checkpoint.h"

namespace outrider::train {

/// The files of a training run, in one folder that can be moved.
struct WorkFolder {
  std::filesystem::path path;

  std::filesystem::path checkpoint() const { return path / "checkpoint.h5"; }
  std::filesystem::path metrics() const { return path / "metrics.jsonl"; }
  std::filesystem::path curves() const { return path / "curves.svg"; }
  std::filesystem::path lock() const { return path / "lock"; }

  /// Nothing before the first checkpoint.
  std::optional<Checkpoint> read() const;
  /// The recipe of the run; empty before the first checkpoint.
  std::string recipe() const;
};

/// A work folder that a run has to itself. A run that ends before it has written anything, such as one
/// that is refused, leaves nothing behind.
class HeldFolder {
 public:
  /// Makes the folder where it is missing. @throws InputError naming --work
  explicit HeldFolder(const WorkFolder& work);
  /// Removes what was made for it, unless there are files of a run.
  ~HeldFolder();
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

  /// Waits until no other process has it.
  void lock() { lock_.emplace(work_.lock()); }

 private:
  WorkFolder work_;
  std::vector<std::filesystem::path> made_;  // the innermost first
  std::optional<FileLock> lock_;
};

/// What is read of an earlier run: its checkpoint, or the files of its folder.
std::vector<InputPath> run_at(const std::string& path);

/// The checkpoint of a run: its file, or its folder.
/// @throws InputError if there is none
Checkpoint read_run(const std::filesystem::path& path);

}  // namespace outrider::train
