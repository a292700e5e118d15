#include "calibrate/report/replay_report.h"

#include <nlohmann/json.hpp>

#include "runtime/base/json_text.h"
#include "runtime/inference/decode_record.h"

namespace outrider::calibrate {

std::string replay_record(const Answer& answer, const Replay& replayed,
                          const methods::PreparedMethod& method) {
  nlohmann::ordered_json settings = {{"max_new", answer.most_new()},
                                     {"context", answer.most_tokens()},
                                     {"temperature", answer.temperature()}};
  settings.update(method.record());
  nlohmann::ordered_json record = {{"id", answer.id},
                                   {"task", answer.task},
                                   {"method", method.name()},
                                   {"settings", settings},
                                   {"passes", replayed.passes},
                                   {"drafted", replayed.drafted},
                                   {"accepted", replayed.accepted},
                                   {"cut_rounds", replayed.cut_rounds},
                                   {"drafts", inference::drafts_by_pass(replayed.by_pass)},
                                   {"tokens_per_pass", replayed.tokens_per_pass()}};
  if (replayed.rows.tokens > 0) record["rows"] = inference::row_counts(replayed.rows);
  // A name from a file may be invalid UTF-8.
  return json_text(record) + "\n";
}

}  // namespace outrider::calibrate
