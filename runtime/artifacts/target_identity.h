#pragma once

#include <string>

#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"
#include "runtime/model/model.h"

namespace outrider::artifacts {

/// The model that an artifact file was made for.
struct TargetIdentity {
  std::string name;            // of its file; for messages, not compared
  std::string model_hash;      // model::model_hash
  std::string tokenizer_hash;  // model::tokenizer_hash
  int vocab = 0;
  int width = 0;
  int layers = 0;
};

/// Reads the model's file once for its hash.
TargetIdentity identity_of(const model::Model& model);

/// Writes to, and reads from, the group /target.
void write_target(const TargetIdentity& target, hdf5::Writer& file);
/// @throws InputError for a file without such a group
TargetIdentity read_target(const hdf5::Reader& file);

/// The difference, for messages: the model, and whether the tokenizer differs too; empty if equal.
std::string difference(const TargetIdentity& made_for, const TargetIdentity& model);

}  // namespace outrider::artifacts
