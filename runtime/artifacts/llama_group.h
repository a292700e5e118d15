#pragma once

#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/hdf5/writer.h"
#include "runtime/model/model.h"

namespace outrider::artifacts {

// What groups with trained layers have in common: a Llama of the target's width and tokens, with a head
// for some of these (Model::head_tokens) and the target's embedding, which is not stored.

inline constexpr int kMostLayers = 64;

/// What a group may or must have.
struct LlamaParts {
  int most_layers = kMostLayers;
  int state_inputs = 0;  // of a projection of states; 0: none
  bool needs_final_norm = true;
};

void write_llama_shape(const model::ModelConfig& config, hdf5::Writer& file,
                       const std::string& group);
/// Stores weights as the bytes that they are: matrices of the layers and the projection as F32, Q8_0 or
/// Q4_1, all of one type, norms as floats; not the head: see write_head.
/// @throws std::logic_error for a model of another kind
void write_llama_weights(const model::Model& model, hdf5::Writer& file, const std::string& group);

/// Its shape alone.
/// @throws InputError for an invalid one
model::ModelConfig read_llama_shape(const ArtifactFile& file, const model::Model& target,
                                    const std::string& group, const LlamaParts& parts);
/// The model, which owns its weights, and shares with the target the embedding, which it views, and the
/// tokenizer.
/// @param file  made for `target`: see ArtifactFile::check_made_for
/// @throws InputError for an invalid group
model::Model read_llama(const ArtifactFile& file, const model::Model& target,
                        const std::string& group, const LlamaParts& parts);

}  // namespace outrider::artifacts
