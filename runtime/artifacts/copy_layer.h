#pragma once

#include <vector>

#include "runtime/artifacts/copy_settings.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

inline constexpr const char* kCopyLayerGroup = "/pld_plus/layer";
/// Far more than serves: any such weight leaves nothing of the cosine.
inline constexpr double kMostLogitWeight = 100;

/// The layer whose hidden states say best where to copy from, and the curves it was chosen from; all
/// in tokens per pass.
struct CopyLayer {
  std::vector<double> by_layer;  // [layers + 1], from the embedding on, at `draft_length` tokens
  int draft_length = 0;
  int chosen = 0;  // layer
  /// [m] with states of the chosen layer averaged over the last 1, 2, … positions; the drafter takes
  /// the last one's. Empty in files of old.
  std::vector<double> by_mean;
  /// Weights of a logit beside the chosen layer's cosine: see draft::add_logits. Empty in files of old,
  /// whose drafters take none.
  std::vector<double> logit_weights;
  std::vector<double> by_logit_weight;     // with each of them
  std::vector<double> by_logit_weight_at;  // [settings, weights]
  double logit_weight = 0;                 // the chosen one
  std::vector<CopySettings>
      settings;                     // with its states and weight, by the temperature of the answers
  std::vector<double> by_layer_at;  // [settings, layers + 1] as `by_layer`; empty in files of old
};

void write_copy_layer(const CopyLayer& found, hdf5::Writer& file, const std::string& group);
/// @throws InputError for what is not such a group
CopyLayer read_copy_layer(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::artifacts
