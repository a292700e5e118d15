#pragma once

#include <span>
#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/artifacts/group_hash.h"
#include "runtime/hdf5/writer.h"
#include "runtime/model/model.h"

namespace outrider::artifacts {

/// A draft model trained for the target: a Llama of the target's width and tokens with few layers and a
/// head for some tokens (Model::head_tokens). The embedding is the target's own and is not stored.
inline constexpr const char* kDraft = "/draft";

/// Stores weights as the bytes that they are: matrices of the layers as F32, Q8_0 or Q4_1, all of one
/// type, the head likewise, norms as floats.
/// @param from_layers  [layers] the target's layer that each was trained from, counted from 1; 0: none
/// @throws std::logic_error for a model of another kind
void write_draft(const model::Model& draft, std::span<const int> from_layers, hdf5::Writer& file,
                 const std::string& group);

/// The model, which owns its weights, and shares with the target the embedding, which it views, and the
/// tokenizer.
/// @param file    made for `target`: see ArtifactFile::check_made_for
/// @throws InputError for an invalid group
model::Model read_draft(const ArtifactFile& file, const model::Model& target);

/// The target's layers that the draft's were trained from, counted from 1; 0: none.
/// @throws InputError for an invalid group
std::vector<int> read_from_layers(const ArtifactFile& file);

/// Identifies the draft model of a file in results about it.
inline std::string draft_hash(const ArtifactFile& file) { return group_hash(file, kDraft); }

}  // namespace outrider::artifacts
