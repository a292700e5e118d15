#pragma once

#include <string>

#include "runtime/artifacts/artifact_file.h"
#include "runtime/draft/parallelspec/parallelspec_model.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// ParallelSpec's drafter of one flavour: the layer as /draft has its layers, `fc`, `mask_embeddings` and
/// `mask_features`, both floats, which EAGLE-AR lacks, `token_inputs` and `best_length`. Medusa's heads are
/// `residual`, the matrices of the blocks [K H, bytes of a row] of `residual_type`, and the head as /draft has it.
constexpr const char* parallelspec_group(draft::ParallelSpecModel::Flavour flavour) {
  switch (flavour) {
    case draft::ParallelSpecModel::Flavour::kEagle:
      return "/parallelspec_eagle";
    case draft::ParallelSpecModel::Flavour::kMedusa:
      return "/parallelspec_medusa";
    case draft::ParallelSpecModel::Flavour::kEagleAr:
      return "/eagle_ar";
    case draft::ParallelSpecModel::Flavour::kMedusaHeads:
      break;
  }
  return "/medusa_heads";
}

/// @param group        parallelspec_group of the flavour
/// @param shares_head  the head is the target's own rows, and is not stored: it is read from the target's file
/// @throws std::logic_error for a model that ParallelSpecModel does not describe
void write_parallelspec(const draft::ParallelSpecModel& model, hdf5::Writer& file,
                        const std::string& group, bool shares_head = false);

/// Reads the drafter of a flavour, as read_draft does a draft model.
/// @throws InputError for an invalid group
draft::ParallelSpecModel read_parallelspec(const ArtifactFile& file, const model::Model& target,
                                           draft::ParallelSpecModel::Flavour flavour);

/// Checks that the head has the target's rows of `head_tokens`, but for the rounding of their type.
/// @throws InputError naming the file and the first token whose row is another
void check_head_is_of(const model::Model& target, const draft::ParallelSpecModel& drafter);

}  // namespace outrider::artifacts
