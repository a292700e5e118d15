#include "calibrate/answers/made_answers.h"

#include <fmt/core.h>

#include <map>
#include <span>

#include "calibrate/answers/journal_of.h"
#include "calibrate/answers/stored_answers.h"
#include "calibrate/answers/work_to_make.h"
#include "data/generate/batch_size.h"
#include "data/generate/trace_identity.h"
#include "data/generate/trace_run.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/sampling/sampler.h"

namespace outrider::calibrate {
namespace {

constexpr int kSamplesOfARound = 8;
constexpr int kMostRounds = 8;

/// An answer as numbers: the lengths of prompt and text, the text, the loop flags.
void append(const Answer& answer, data::Journal::Entry& numbers) {
  numbers.push_back(answer.prompt);
  numbers.push_back(static_cast<std::int32_t>(answer.tokens.size()));
  numbers.insert(numbers.end(), answer.tokens.begin(), answer.tokens.end());
  numbers.insert(numbers.end(), answer.in_loop.begin(), answer.in_loop.end());
}

/// Reads an answer from the front of such numbers; false if there is none.
bool take(std::span<const std::int32_t>& numbers, Answer& answer) {
  if (numbers.size() < 2) return false;
  const std::int64_t prompt = numbers[0], size = numbers[1];
  if (prompt < 1 || size < prompt || std::ssize(numbers) < 2 + 2 * size - prompt) return false;
  const auto text = numbers.subspan(2, static_cast<std::size_t>(size));
  const auto loops = numbers.subspan(2 + text.size(), static_cast<std::size_t>(size - prompt));
  answer.tokens.assign(text.begin(), text.end());
  answer.prompt = static_cast<int>(prompt);
  for (const std::int32_t flag : loops) answer.in_loop.push_back(flag != 0 ? 1 : 0);
  numbers = numbers.subspan(2 + text.size() + loops.size());
  return true;
}

/// Generates answers and stores them. Conversation c is sample c % samples + 1 of prompt c /
/// samples.
class AnswerMaker {
 public:
  /// @param samples  the largest number for each prompt
  AnswerMaker(inference::Target& target, const MakingOptions& options, int samples)
      : target_(target),
        recipe_(recipe_of(options, samples, 1)),
        prompts_(prompts_of(target, options, recipe_)),
        interrupted_(options.interrupted) {
    plan_.conversations = std::ssize(prompts_) * samples;
    plan_.conversations_per_shard = 1;  // each is stored when it ends
  }

  /// What the answers depend on, for this number of samples.
  std::string identity(int samples) const {
    data::Recipe recipe = recipe_;
    recipe.samples = samples;
    recipe.temperatures.resize(static_cast<std::size_t>(samples));
    const data::StoreIdentity identity = data::trace_identity(target_, recipe, prompts_);
    return data::identity_text(identity) + identity.logits_hash;
  }

  /// Restores the answers of an earlier run.
  void restore(const data::Journal& journal) {
    for (const data::Journal::Entry& entry : journal.kept()) {
      std::span<const std::int32_t> numbers = entry;
      if (numbers.empty() || numbers[0] < 0 || numbers[0] >= plan_.conversations ||
          made_.count(numbers[0]) > 0)
        journal.refuse();
      std::vector<Answer>& answers = made_[numbers[0]];
      numbers = numbers.subspan(1);
      while (!numbers.empty()) {
        Answer answer = next_answer(entry[0], answers.size());
        if (!take(numbers, answer)) journal.refuse();
        answers.push_back(std::move(answer));
      }
    }
  }

  /// Generates samples first + 1 to last of every prompt, except those that exist.
  /// @throws Interrupted
  void make(int first, int last, data::Journal& journal, const OnProgress& on_progress) {
    std::vector<int> missing;
    for (const int c : conversations(first, last))
      if (made_.count(c) == 0) missing.push_back(c);
    if (missing.empty()) return;
    data::TraceRun run(target_, recipe_, prompts_, plan_);
    std::int64_t done = 0;
    on_progress(0, std::ssize(missing));
    const bool finished = run.run(
        missing, data::choose_batch(target_, recipe_, prompts_, 0),
        [&](int c, std::span<const data::Trace> traces) { keep(c, traces, journal); },
        [&](const std::vector<data::Trace>&) { on_progress(++done, std::ssize(missing)); },
        interrupted_);
    if (!finished) throw Interrupted();
  }

  /// The texts of the first round of samples.
  WorkAhead ahead(int samples) const {
    std::vector<int> missing;
    std::vector<Answer> made;
    for (const int c : conversations(0, samples)) {
      const auto answers = made_.find(c);
      if (answers == made_.end())
        missing.push_back(c);
      else
        made.insert(made.end(), answers->second.begin(), answers->second.end());
    }
    return work_to_make(target_, recipe_, prompts_, missing, made);
  }

  void append_to(std::vector<Answer>& answers, int first, int last) const {
    for (const int c : conversations(first, last))
      answers.insert(answers.end(), made_.at(c).begin(), made_.at(c).end());
  }

 private:
  std::vector<int> conversations(int first, int last) const {
    std::vector<int> all;
    for (int prompt = 0; prompt < static_cast<int>(prompts_.size()); ++prompt)
      for (int sample = first; sample < last; ++sample)
        all.push_back(prompt * recipe_.samples + sample);
    return all;
  }

  const text::PromptRecord& prompt_of(int conversation) const {
    return prompts_[static_cast<std::size_t>(conversation / recipe_.samples)];
  }

  /// The fields of a conversation's next answer that are known before it is generated. @param
  /// before  answers
  Answer next_answer(int conversation, std::size_t before) const {
    const text::PromptRecord& prompt = prompt_of(conversation);
    const int sample = conversation % recipe_.samples + 1;
    Answer answer;
    answer.id = prompt.id;
    answer.task = prompt.task;
    answer.sampler = recipe_.sampler;
    answer.sampler.temperature = recipe_.temperature_of(sample);
    answer.sequence_seed = sampling::sequence_seed(recipe_.sampler.seed, prompt.id,
                                                   static_cast<int>(before) + 1, sample);
    return answer;
  }

  void keep(int conversation, std::span<const data::Trace> traces, data::Journal& journal) {
    data::Journal::Entry entry = {conversation};
    std::vector<Answer>& answers = made_[conversation];
    for (const data::Trace& trace : traces) {
      answers.push_back(answer_of(trace, recipe_.sampler));
      append(answers.back(), entry);
    }
    journal.append(entry);
  }

  inference::Target& target_;
  data::Recipe recipe_;
  std::vector<text::PromptRecord> prompts_;
  data::ShardPlan plan_;
  std::function<bool()> interrupted_;
  std::map<int, std::vector<Answer>> made_;  // by conversation
};

}  // namespace

Answers make_answers(inference::Target& target, const MakingOptions& options,
                     const std::filesystem::path& artifact, const std::string& part,
                     const Enough& enough, const OnAhead& on_ahead, const OnProgress& on_progress) {
  const int round = options.samples > 0 ? options.samples : kSamplesOfARound;
  const int most = options.samples > 0 ? options.samples : kSamplesOfARound * kMostRounds;
  AnswerMaker maker(target, options, most);
  Answers answers;
  answers.made.emplace(journal_of(artifact, part, target, {}, maker.identity(most)));
  maker.restore(*answers.made);
  if (on_ahead) on_ahead(maker.ahead(round));
  int samples = 0;
  do {
    maker.make(samples, samples + round, *answers.made, on_progress);
    maker.append_to(answers.all, samples, samples + round);
    samples += round;
  } while (samples < most && !enough(answers.all));
  answers.identity = maker.identity(samples);
  answers.seed = options.sampler.seed;
  if (answers.all.empty())
    throw InputError(fmt::format("{}: no answer was made to any prompt", options.prompts.string()));
  return answers;
}

}  // namespace outrider::calibrate
