#pragma once

#include <cstdint>
#include <vector>

#include "runtime/artifacts/hdf5_reader.h"
#include "runtime/artifacts/hdf5_writer.h"

namespace outrider::artifacts {

inline constexpr const char* kCopyLayerGroup = "/pld_plus/layer";

/// The layer whose hidden states say best where to copy from, and the curves it was chosen from; all
/// in tokens per pass.
struct CopyLayer {
  std::vector<double> by_layer;  // [layers + 1], from the embedding on, at `draft_length` tokens
  int draft_length = 0;
  // With the best layer's states:
  std::vector<std::int32_t> draft_lengths;   // [k]
  std::vector<double> by_draft_length;       // [k]
  std::vector<double> thresholds;            // [h] cosines; -1: none
  std::vector<double> by_threshold;          // [h], at `draft_length` tokens
  std::vector<double> drafted_by_threshold;  // [h] tokens drafted per pass
  int chosen = 0;                            // layer
};

void write_copy_layer(const CopyLayer& found, Hdf5Writer& file, const std::string& group);
/// @throws InputError for what is not such a group
CopyLayer read_copy_layer(const Hdf5Reader& file, const std::string& group);

}  // namespace outrider::artifacts
