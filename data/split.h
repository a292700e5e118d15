#pragma once

#include <cstdint>
#include <string_view>

namespace outrider::data {

enum class Subset : std::uint8_t { kTrain, kValidation, kTest };
/// "train", "validation", "test"
const char* name_of(Subset subset);

struct SplitOptions {
  std::uint64_t seed = 1;
  double validation = 0.05;  // share of the prompts
  double test = 0.05;        // likewise; the rest is for training
};

/// The subset of a prompt: a function of its id and these options, so that all its samples and
/// turns are in the same subset, which does not change when prompts are added.
Subset subset_of(std::string_view prompt_id, const SplitOptions& options);

}  // namespace outrider::data
