#pragma once

#include <cstdint>
#include <string>

#include "calibrate/replay/recomputed.h"
#include "calibrate/replay/replay.h"
#include "runtime/base/record_file.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::calibrate {

/// Replays answers with one method, one after the other, and writes a record of each (--json).
class RecordedReplays {
 public:
  /// @param target, method  must outlive it
  /// @param temperature     for the records
  /// @param json            the file of the records; empty: none; - is standard output
  RecordedReplays(engine::Engine& target, const methods::PreparedMethod& method, double temperature,
                  const std::string& json);

  /// @param observations  nullptr: of the target
  Replay replay(const Answer& answer, Observations* observations = nullptr);

  /// Writes the sums to standard output, unless the records are there.
  /// @param found  further results
  void write_summary(const std::string& found) const;

 private:
  std::string record_of(const Answer& answer, const Replay& replayed) const;

  const methods::PreparedMethod& method_;
  double temperature_;
  bool to_standard_output_;
  Recomputed recomputed_;
  RecordFile records_;
  Replay all_;
  std::int64_t texts_ = 0;
};

}  // namespace outrider::calibrate
