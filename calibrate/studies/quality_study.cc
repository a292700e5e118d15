#include "calibrate/studies/quality_study.h"

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/records/prompt_file.h"

namespace outrider::calibrate {
namespace {

bool has_answer(const text::PromptRecord& record) {
  return record.turns.size() == 1 && !record.reference.empty();
}

}  // namespace

QualityRun::QualityRun(inference::Target& target, const engine::EngineOptions& reference,
                       const QualityStudy& study, Watch& watch)
    : target_(target),
      watch_(watch),
      texts_(scored_texts(study)),
      reference_(target.engine().beside(target.model(), reference)) {}

QualityRun::~QualityRun() = default;

/// Prompts from every file in turn, so that each task has its share, until there are enough tokens
/// of answers.
std::vector<QualityRun::ScoredText> QualityRun::scored_texts(const QualityStudy& study) const {
  std::vector<std::vector<text::PromptRecord>> files;
  for (const std::string& path : study.prompts) {
    files.push_back(text::read_prompts(path));
    std::erase_if(files.back(), [](const auto& record) { return !has_answer(record); });
    if (study.skip_refused) inference::leave_out_refused(target_, files.back());
  }
  for (const auto& records : files)
    for (const text::PromptRecord& record : records)
      inference::check_not_empty(record, inference::first_turn(target_, record));
  std::vector<ScoredText> texts;
  std::int64_t wanted = study.tokens;
  bool any_left = true;
  for (std::size_t i = 0; any_left && wanted > 0; ++i) {
    any_left = false;
    for (const auto& records : files) {
      if (i >= records.size() || wanted <= 0) continue;
      any_left = true;
      const text::PromptRecord& record = records[i];
      ScoredText text;
      text.tokens = inference::first_turn(target_, record);
      text.first = text.tokens.size();
      const std::vector<Token> answer =
          inference::for_prompt(record, [&] { return target_.answer_tokens(record.reference); });
      text.tokens.insert(text.tokens.end(), answer.begin(), answer.end());
      if (static_cast<int>(text.tokens.size()) > target_.context()) continue;
      if (static_cast<std::int64_t>(answer.size()) > wanted)
        text.tokens.resize(text.first + static_cast<std::size_t>(wanted));
      wanted -= static_cast<std::int64_t>(text.tokens.size() - text.first);
      texts.push_back(std::move(text));
    }
  }
  if (texts.empty())
    throw InputError(
        "--prompts: found no record of one turn with a \"reference\" that fits the context; "
        "expected answers to read");
  return texts;
}

FoundQuality QualityRun::run() {
  std::size_t longest = 0;
  std::int64_t all = 0;
  for (const ScoredText& text : texts_) {
    longest = std::max(longest, text.tokens.size());
    all += static_cast<std::int64_t>(text.tokens.size());
  }
  study::QualityMeter meter(*reference_, target_.engine(), static_cast<int>(longest));
  watch_.listen();
  watch_.begin("tokens", all);
  std::int64_t done = 0;
  for (const ScoredText& text : texts_) {
    if (watch_.interrupted() && meter.quality().tokens > 0) break;
    meter.read(text.tokens, text.first);
    watch_.show(done += static_cast<std::int64_t>(text.tokens.size()));
  }
  watch_.end();
  return {meter.quality(), watch_.interrupted()};
}

}  // namespace outrider::calibrate
