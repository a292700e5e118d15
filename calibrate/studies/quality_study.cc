#include "calibrate/studies/quality_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "calibrate/answers/find_answers.h"
#include "calibrate/answers/work_ahead.h"
#include "data/journal/entry_numbers.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/for_prompt.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {
namespace {

bool has_answer(const text::PromptRecord& record) {
  return record.turns.size() == 1 && !record.reference.empty();
}

int longest_of(const std::vector<Answer>& texts) {
  std::size_t longest = 0;
  for (const Answer& text : texts) longest = std::max(longest, text.tokens.size());
  return static_cast<int>(longest);
}

void read(const Answer& text, study::QualityMeter& meter) {
  meter.read(text.tokens, static_cast<std::size_t>(text.prompt));
}

/// Of all texts so far: sums have the same bits however often a run goes on.
data::Journal::Entry entry_of(const study::Quality& q) {
  data::EntryWriter numbers;
  numbers.add(static_cast<std::int32_t>(q.tokens)).add(static_cast<std::int32_t>(q.same_best));
  for (const double sum :
       {q.reference_surprisal, q.surprisal, q.squared_difference, q.divergence, q.worst_divergence})
    numbers.add(sum);
  return numbers.entry();
}

std::optional<study::Quality> quality_of(const data::Journal::Entry& entry) {
  data::EntryReader numbers(entry);
  study::Quality q;
  q.tokens = numbers.integer();
  q.same_best = numbers.integer();
  for (double* sum : {&q.reference_surprisal, &q.surprisal, &q.squared_difference, &q.divergence,
                      &q.worst_divergence})
    *sum = numbers.long_real();
  if (!numbers.is_at_end()) return std::nullopt;
  return q;
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
std::vector<Answer> QualityRun::scored_texts(const QualityStudy& study) const {
  std::vector<std::vector<text::PromptRecord>> files;
  for (const std::string& path : study.prompts) {
    files.push_back(text::read_prompts(path));
    std::erase_if(files.back(), [](const auto& record) { return !has_answer(record); });
    if (study.skip_refused) inference::leave_out_refused(target_, files.back());
  }
  for (const auto& records : files)
    for (const text::PromptRecord& record : records)
      inference::check_not_empty(record, inference::first_turn(target_, record));
  std::vector<Answer> texts;
  std::int64_t wanted = study.tokens;
  bool any_left = true;
  for (std::size_t i = 0; any_left && wanted > 0; ++i) {
    any_left = false;
    for (const auto& records : files) {
      if (i >= records.size() || wanted <= 0) continue;
      any_left = true;
      const text::PromptRecord& record = records[i];
      Answer text = {record.id, record.task, inference::first_turn(target_, record)};
      text.prompt = static_cast<int>(text.tokens.size());
      const std::vector<Token> answer =
          inference::for_prompt(record, [&] { return target_.answer_tokens(record.reference); });
      text.tokens.insert(text.tokens.end(), answer.begin(), answer.end());
      if (static_cast<int>(text.tokens.size()) > target_.context()) continue;
      if (text.made() > wanted) text.tokens.resize(static_cast<std::size_t>(text.prompt + wanted));
      wanted -= text.made();
      texts.push_back(std::move(text));
    }
  }
  if (texts.empty())
    throw InputError(
        "--prompts: found no record of one turn with a \"reference\" that fits the context; "
        "expected answers to read");
  return texts;
}

FoundQuality QualityRun::run(data::Journal& journal) {
  watch_.listen();
  plan_answers(watch_, journal.left_of(texts_), "texts read twice", [&](const Answer& text) {
    study::QualityMeter meter(*reference_, target_.engine(), longest_of({text}));
    read(text, meter);
  });
  study::QualityMeter meter(*reference_, target_.engine(), longest_of(texts_));
  bool interrupted = false;
  try {
    for_each_answer(
        "texts", texts_, watch_, journal,
        [&](const Answer& text) {
          read(text, meter);
          return entry_of(meter.quality());
        },
        [&](const Answer&, const data::Journal::Entry& kept) {
          const auto before = quality_of(kept);
          if (before) meter.go_on_from(*before);
          return before.has_value();
        });
  } catch (const Interrupted&) {
    interrupted = true;
  }
  watch_.end();
  return {meter.quality(), interrupted};
}

}  // namespace outrider::calibrate
