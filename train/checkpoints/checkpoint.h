#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/hdf5/reader.h"

namespace outrider::train {

/// A parameter with what belongs to it, row-major in the parameter's shape.
struct SavedParameter {
  std::string name;
  std::vector<std::int64_t> dims;
  std::vector<float> value;
  std::vector<float> first, second;  // moments
  std::vector<float> best;           // the value with the best validation; empty: none yet

  bool operator==(const SavedParameter& other) const = default;
};

/// The part of a trace store that a run trains on, and where in it the run is. Shards that a growing store
/// gets later are left out.
struct SavedStream {
  std::vector<int> shards;
  std::string content;  // hash of these shards' content
  std::int64_t epoch = 0, trace = 0;

  bool operator==(const SavedStream& other) const = default;
};

struct BestValidation {
  double score = 0;
  std::int64_t step = 0;

  bool operator==(const BestValidation& other) const = default;
};

/// Everything that the rest of a training run depends on: going on from it gives the bits of a run that
/// was never interrupted. The only chance in a run is the order of traces, which is a function of its seed
/// and the streams' positions, so there is no generator's state. No paths, so it can be moved.
struct Checkpoint {
  nlohmann::json identity;           // all that must be equal to go on
  std::string recipe;                // the command's options as TOML, for people
  std::int64_t step = 0, steps = 0;  // done, of the whole run
  std::int64_t optimiser_steps = 0;  // fewer than steps where a batch had nothing to learn
  std::int64_t tokens = 0;           // trained on, repetitions counted
  double seconds = 0;                // of training, without pauses
  std::optional<BestValidation> best;
  int worse_since = 0;              // validations since the best
  std::uint64_t metrics_bytes = 0;  // of the file of metrics that belong to these steps
  nlohmann::json last;              // the last lines of metrics: "step" and "validation"
  std::string arithmetic;           // threads and instruction set that computed it
  std::vector<SavedStream> streams;
  std::vector<SavedParameter> parameters;

  bool operator==(const Checkpoint& other) const = default;
};

/// Replaces the file: at any moment there is the one before or the new one.
/// @throws InputError naming the file, such as for a full disk; then the one before is unchanged
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// The bytes of such a file.
std::vector<std::byte> encode_checkpoint(const Checkpoint& checkpoint);

/// @throws InputError naming the file for anything else than an undamaged checkpoint
Checkpoint read_checkpoint(const std::filesystem::path& path);
Checkpoint read_checkpoint(const hdf5::Reader& file);

/// The recipe alone, without reading parameters. @throws InputError likewise
std::string read_recipe(const std::filesystem::path& path);

/// Whether the file says that it is a checkpoint. @throws InputError for what is no HDF5 file
bool is_checkpoint(const std::filesystem::path& path);

/// Hash of the parameters, and of all that training has changed: parameters, moments, the best ones and
/// the streams' positions, but not times. Equal for runs that computed the same bits.
std::string weights_hash(const Checkpoint& checkpoint);
std::string state_hash(const Checkpoint& checkpoint);

/// @throws InputError with the first difference between identities, and the cure
void check_continues(const std::filesystem::path& path, const nlohmann::json& saved,
                     const nlohmann::json& now);

}  // namespace outrider::train
