#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "calibrate/replay/recomputed.h"
#include "calibrate/replay/replay.h"
#include "runtime/base/record_file.h"
#include "runtime/draft/acceptance_table.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::calibrate {

/// The method with its settings for a temperature, which outlive the replays.
using MethodAt = std::function<const methods::PreparedMethod&(double temperature)>;

/// Replays answers with a method, one after the other, and writes a record of each (--json).
class RecordedReplays {
 public:
  /// @param target  must outlive it
  /// @param json    the file of the records; empty: none; - is standard output
  RecordedReplays(engine::Engine& target, MethodAt method_at, const std::string& json);

  /// @param observations  nullptr: of the target
  Replay replay(const Answer& answer, Observations* observations = nullptr);

  /// What was counted of the acceptance of the drafts, by temperature.
  const std::map<double, draft::AcceptanceTable>& acceptance() const { return acceptance_; }
  /// Writes the sums to standard output, unless the records are there.
  /// @param found  further results
  void write_summary(const std::string& found) const;

 private:
  MethodAt method_at_;
  bool to_standard_output_;
  Recomputed recomputed_;
  RecordFile records_;
  Replay all_;
  std::map<double, draft::AcceptanceTable> acceptance_;
  std::int64_t texts_ = 0;
};

}  // namespace outrider::calibrate
