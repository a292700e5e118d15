#pragma once

#include <filesystem>
#include <optional>

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
};

/// The checkpoint of a run: its file, or its folder, all of whose files are then inputs.
/// @throws InputError if there is none
Checkpoint read_run(const std::filesystem::path& path);

}  // namespace outrider::train
