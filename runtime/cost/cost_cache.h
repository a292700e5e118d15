#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cost/cost_model.h"

namespace outrider::cost {

/// What measured costs hold for.
struct CostKey {
  std::string machine;  // engine::Place::name
  std::string numerics, isa;
  int threads = 1;
  std::string target;        // hash of the model
  std::string draft = {};    // hash of the draft model; empty: costs of the target alone
  std::string program = {};  // version of the program: kernels change
};

/// All of it as one text.
std::string text_of(const CostKey& key);

/// A draft model's steps with one number of threads.
struct TimedSteps {
  int threads = 1;
  double draft_seconds = 0;   // of a step
  double target_seconds = 0;  // of a pass of the target over one row

  double share() const { return draft_seconds / target_seconds; }
};

/// Costs kept in a folder, a file for each key. Whatever is wrong with a file or the folder, costs are only
/// not known, or not kept: they can be measured again.
class CostCache {
 public:
  /// @param folder  need not exist; empty: nothing is kept
  explicit CostCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// Nothing unless both shapes are there, a chain of one row among them.
  std::optional<std::vector<TimedPass>> read_passes(const CostKey& key) const;
  std::optional<std::vector<TimedSteps>> read_steps(const CostKey& key) const;
  /// @return whether they are kept. Written atomically.
  bool write_passes(const CostKey& key, const std::vector<TimedPass>& passes) const;
  bool write_steps(const CostKey& key, const std::vector<TimedSteps>& steps) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace outrider::cost
