#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/watch.h"
#include "runtime/base/work_share.h"
#include "runtime/engine/place.h"

namespace outrider::calibrate {

/// What made a group, for its record.
struct MadeBy {
  std::string command;       // "calibrate ngrammys"
  engine::Place place = {};  // of the engine; empty: counted without one
  std::uint64_t seed = 0;
  std::string traces = {};  // the identity of those that it was made from; empty: none
};

/// Where a study writes its result, and what it reads of earlier ones.
struct StudyFiles {
  std::filesystem::path artifact;   // that it writes to; journals of what is done lie beside it
  std::string artifacts;            // as --artifacts has it
  std::string resolved;             // all options as TOML, for the record
  std::string shard;                // of the study's work; empty: all of it
  artifacts::Folders folders = {};  // of artifacts that are not named

  /// The share of this process; tells of it where a launcher's variables gave it.
  /// @throws InputError as read_share, and where the work was divided into another number of parts
  WorkShare share(Watch& watch) const;

  /// The file that a group of the target is to be written to, checked before long work.
  /// @throws InputError when it cannot be written, or was made for another target
  std::filesystem::path file_of(const artifacts::TargetIdentity& target,
                                const std::string& group) const;
  /// These with that file as the artifact. @throws InputError as file_of
  StudyFiles of_group(const artifacts::TargetIdentity& target, const std::string& group) const;

  /// What is read of earlier results, as by decoding with the same --artifacts; empty where there are none yet.
  std::string to_read(const artifacts::TargetIdentity& target) const;
  /// Results of earlier studies, found as decoding with the same --artifacts finds them; warns of files that cannot be
  /// read.
  artifacts::ArtifactSet known(const artifacts::TargetIdentity& target, Watch& watch) const;

  /// Writes a study's group.
  void write(const artifacts::TargetIdentity& target, const std::string& group, const MadeBy& how,
             const artifacts::FillGroup& fill) const;
  /// Writes another group that it found, to the file of that group. @param of  whose file it goes to; empty: its own
  /// @return the file
  std::filesystem::path write_beside(const artifacts::TargetIdentity& target,
                                     const std::string& group, const MadeBy& how,
                                     const artifacts::FillGroup& fill,
                                     const std::string& of = "") const;
};

/// Ends a process with a share before what only the whole tells. @throws PartDone, unless it has all of it
void end_share(const WorkShare& share);

}  // namespace outrider::calibrate
