#include "calibrate/commands/recorded_replays.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "runtime/base/output.h"
#include "runtime/cli/pass_records.h"

namespace outrider::calibrate {

RecordedReplays::RecordedReplays(engine::Engine& target, const methods::PreparedMethod& method,
                                 double temperature, const std::string& json)
    : method_(method),
      temperature_(temperature),
      to_standard_output_(json == "-"),
      recomputed_(target),
      records_("--json", json) {}

Replay RecordedReplays::replay(const Answer& answer, Observations* observations) {
  const auto drafter = method_.new_drafter();
  if (observations == nullptr) observations = &recomputed_;
  Replay replayed = calibrate::replay(answer, drafter.get(), observations);
  records_.write(record_of(answer, replayed));
  all_.add(replayed);
  ++texts_;
  return replayed;
}

void RecordedReplays::write_summary(const std::string& found) const {
  if (to_standard_output_) return;
  write_output(fmt::format("{} texts, {} passes, {} tokens drafted, {} accepted{}\n", texts_,
                           all_.passes, all_.drafted, all_.accepted, found));
}

std::string RecordedReplays::record_of(const Answer& answer, const Replay& replayed) const {
  using Json = nlohmann::ordered_json;
  Json settings = {{"max_new", answer.most_new()},
                   {"context", answer.most_tokens()},
                   {"temperature", temperature_}};
  settings.update(method_.record());
  const Json record = {{"id", answer.id},
                       {"task", answer.task},
                       {"method", method_.name()},
                       {"settings", settings},
                       {"passes", replayed.passes},
                       {"drafted", replayed.drafted},
                       {"accepted", replayed.accepted},
                       {"drafts", cli::drafts_by_pass(replayed.by_pass)},
                       {"tokens_per_pass", replayed.tokens_per_pass()}};
  // A name from a file may be invalid UTF-8.
  return record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace outrider::calibrate
