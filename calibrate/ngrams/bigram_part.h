#pragma once

#include <filesystem>
#include <string>

#include "calibrate/ngrams/bigram_table.h"
#include "runtime/artifacts/target_identity.h"

namespace outrider::calibrate {

/// A table that is not whole yet, kept beside the artifact file so that a run that was broken off goes
/// on where it was.
class BigramPart {
 public:
  /// @param name      of the table among those that are being made for the artifact
  /// @param settings  what the table depends on beside the target; another text is another table
  BigramPart(const std::filesystem::path& artifact, const std::string& name,
             artifacts::TargetIdentity target, std::string settings);

  /// Fills in what was kept of the same table; what was kept of another is removed.
  void load(BigramTable& table) const;
  void save(const BigramTable& table) const;
  /// The table is whole and safe elsewhere.
  void remove() const;

 private:
  std::filesystem::path path_;
  artifacts::TargetIdentity target_;
  std::string settings_;
};

}  // namespace outrider::calibrate
