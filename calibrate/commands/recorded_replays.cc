#include "calibrate/commands/recorded_replays.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/inference/decode_record.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

std::string record_of(const Answer& answer, const Replay& replayed,
                      const methods::PreparedMethod& method) {
  Json settings = {{"max_new", answer.most_new()},
                   {"context", answer.most_tokens()},
                   {"temperature", answer.temperature()}};
  settings.update(method.record());
  Json record = {{"id", answer.id},
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

void tell_plain_text(const Answer& answer, const draft::TellPlainText& tell) {
  if (!tell) return;
  const auto prompt = static_cast<std::size_t>(answer.prompt);
  const sampling::TokenCounts counts(
      std::span(answer.tokens).first(answer.sampler.uses_counts() ? prompt : 0));
  tell({answer.tokens, {answer.sampler, answer.sequence_seed, counts}}, answer.prompt);
}

}  // namespace

RecordedReplays::RecordedReplays(engine::Engine& target, MethodAt method_at,
                                 const std::string& json)
    : method_at_(std::move(method_at)),
      to_standard_output_(json == "-"),
      recomputed_(target),
      records_("--json", json) {}

Replay RecordedReplays::replay(const Answer& answer, Observations* observations) {
  const methods::PreparedMethod& method = method_at_(answer.temperature());
  const auto drafter = method.new_drafter();
  if (observations == nullptr) observations = &recomputed_;
  tell_plain_text(answer, method.tell_plain_text());
  Replay replayed = calibrate::replay(answer, drafter.get(), observations);
  records_.write(record_of(answer, replayed, method));
  all_.add(replayed);
  acceptance_[answer.temperature()].add(replayed.acceptance);
  ++texts_;
  return replayed;
}

void RecordedReplays::write_summary(const std::string& found) const {
  if (to_standard_output_) return;
  write_output(fmt::format("{} texts, {} passes, {} tokens drafted, {} accepted{}\n", texts_,
                           all_.passes, all_.drafted, all_.accepted, found));
}

}  // namespace outrider::calibrate
