#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// How a group of an artifact file was made.
struct Provenance {
  std::string command;  // "calibrate ngrammys"
  std::string options;  // resolved, as TOML: what --print-config prints, of paths the last part
  std::uint64_t seed = 0;
  std::string traces = {};  // identity of the traces that it was made from; empty: none
  std::string place =
      {};  // engine::Place::text() or a training's arithmetic; empty: counted without a model
  std::string code_version = {};  // filled in when the group is written
  std::string date = {};          // likewise; UTC, "2026-01-31T23:59:59Z"
};

/// Writes to, and reads from, `group`/provenance.
void write_provenance(const Provenance& provenance, const std::string& group, hdf5::Writer& file);
Provenance read_provenance(const hdf5::Reader& file, const std::string& group);

/// @param datasets  that every group of this kind has, and those of earlier versions lack, below the group
/// @throws InputError naming the command that makes the group anew, where it lacks one
void check_is_current(const hdf5::Reader& file, const std::string& group,
                      std::initializer_list<const char*> datasets);

}  // namespace outrider::artifacts
