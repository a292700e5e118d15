#include "runtime/commands/decode_prompts.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/progress.h"
#include "runtime/commands/check_against_plain.h"
#include "runtime/commands/decode_record.h"
#include "runtime/commands/dialogue.h"
#include "runtime/commands/figures.h"
#include "runtime/commands/record_file.h"

namespace outrider {
namespace {

/// The most tokens the conversation can reach: what its KV cache has to hold.
int context_needed(const DecodeTarget& target, const DecodeOptions& options,
                   const text::PromptRecord& prompt) {
  const Dialogue dialogue(target, options.system);
  std::int64_t needed =
      static_cast<std::int64_t>(dialogue.ask(prompt.turns[0]).size()) + options.max_new;
  for (std::size_t turn = 1; turn < prompt.turns.size(); ++turn) {
    needed += dialogue.most_added(prompt.turns[turn], options.max_new);
  }
  return static_cast<int>(std::min<std::int64_t>(needed, target.context()));
}

void check_fits(const DecodeTarget& target, const DecodeOptions& options,
                const text::PromptRecord& prompt) {
  const std::size_t tokens = Dialogue(target, options.system).ask(prompt.turns[0]).size();
  if (static_cast<std::int64_t>(tokens) < target.context()) return;
  throw InputError(
      fmt::format("prompt '{}' has {} tokens, expected fewer than the context of {}; shorten it{}",
                  prompt.id, tokens, target.context(),
                  target.context() < target.model().config.context ? " or raise --ctx" : ""));
}

/// One call of decode_prompts.
class PromptRun {
 public:
  PromptRun(DecodeTarget& target, const DecodeOptions& options,
            const std::vector<text::PromptRecord>& prompts)
      : target_(target), options_(options), prompts_(prompts), records_(options.json) {
    for (const text::PromptRecord& prompt : prompts) {
      num_texts_ += static_cast<std::int64_t>(prompt.turns.size()) * options.samples;
    }
    if (!shows_text() && num_texts_ > 1) progress_.emplace("texts", num_texts_, options.quiet);
  }

  void run() {
    for (const text::PromptRecord& prompt : prompts_) {
      const int context = context_needed(target_, options_, prompt);
      for (int sample = 1; sample <= options_.samples && !interrupted(); ++sample) {
        converse(prompt, sample, context);
      }
    }
    progress_.reset();
    if (!options_.quiet) fmt::print(stderr, "{}\n", figures_.line());
    if (interrupted()) throw Interrupted();
    if (options_.check) check_against_plain(target_, options_, checked_);
  }

 private:
  bool shows_text() const { return options_.json != "-"; }

  void converse(const text::PromptRecord& prompt, int sample, int context) {
    Dialogue dialogue(target_, options_.system);
    DecodeRun run(target_, options_, context, shows_text());
    for (std::size_t turn = 0; turn < prompt.turns.size() && !interrupted(); ++turn) {
      const TextName name = {prompt.id, prompt.task, static_cast<int>(turn) + 1, sample};
      show_heading(name);
      std::vector<Token> asked = dialogue.ask(prompt.turns[turn]);
      const DecodedText text = run.decode(name, asked);
      dialogue.answered(std::move(asked), text.result.tokens);
      finish(text);
    }
  }

  void show_heading(const TextName& name) const {
    if (num_texts_ < 2 || !shows_text() || options_.quiet) return;
    std::string heading = name.prompt;
    if (options_.turns == "all") heading += fmt::format(", turn {}", name.turn);
    if (options_.samples > 1) heading += fmt::format(", sample {}", name.sample);
    fmt::print(stderr, "-- {}\n", heading);
  }

  void finish(const DecodedText& text) {
    records_.write(decode_record(text, target_, options_));
    figures_.add(text);
    if (options_.check) checked_.push_back(text);
    if (progress_) progress_->show(++done_);
  }

  DecodeTarget& target_;
  const DecodeOptions& options_;
  const std::vector<text::PromptRecord>& prompts_;
  RecordFile records_;
  std::int64_t num_texts_ = 0;
  std::int64_t done_ = 0;
  std::optional<Progress> progress_;
  Figures figures_;
  std::vector<DecodedText> checked_;
};

}  // namespace

void decode_prompts(DecodeTarget& target, const DecodeOptions& options,
                    const std::vector<text::PromptRecord>& prompts) {
  for (const text::PromptRecord& prompt : prompts) check_fits(target, options, prompt);
  PromptRun(target, options, prompts).run();
}

}  // namespace outrider
