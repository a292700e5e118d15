#include "runtime/commands/decode_prompts.h"

#include <fmt/core.h>

#include <optional>

#include "runtime/base/interrupt.h"
#include "runtime/base/log.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/progress.h"
#include "runtime/commands/check_against_plain.h"
#include "runtime/commands/decode_record.h"
#include "runtime/commands/figures.h"
#include "runtime/commands/shown_text.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/methods/method.h"

namespace outrider {
namespace {

/// One call of decode_prompts.
class PromptRun {
 public:
  PromptRun(inference::Target& target, const DecodeOptions& options,
            const std::vector<text::PromptRecord>& prompts)
      : target_(target),
        options_(options),
        prompts_(prompts),
        records_("--json", options.json),
        shown_(shows_colours(options)) {
    for (const text::PromptRecord& prompt : prompts) {
      num_texts_ += static_cast<std::int64_t>(prompt.turns.size()) * options.samples;
    }
    if (!shows_text() && num_texts_ > 1) progress_.emplace("texts", num_texts_, options.quiet);
  }

  void run() {
    for (const text::PromptRecord& prompt : prompts_) {
      if (interrupted()) break;
      // Its samples share the keys and values of the prompt.
      inference::Generation generation(target_, generation_options(options_),
                                       inference::context_needed(target_, prompt, options_.max_new),
                                       make_drafter(options_));
      for (int sample = 1; sample <= options_.samples && !interrupted(); ++sample) {
        converse(generation, prompt, sample);
      }
    }
    progress_.reset();
    if (!options_.quiet) print_log("{}\n", figures_.line());
    if (interrupted()) throw Interrupted();
    if (options_.check) check_against_plain(target_, options_, checked_);
  }

 private:
  bool shows_text() const { return options_.json != "-"; }

  void converse(inference::Generation& generation, const text::PromptRecord& prompt, int sample) {
    inference::Dialogue dialogue(target_, prompt);
    for (std::size_t turn = 0; turn < prompt.turns.size() && !interrupted(); ++turn) {
      const inference::TextName name = {prompt.id, prompt.task, static_cast<int>(turn) + 1, sample};
      show_heading(name);
      std::vector<Token> asked = dialogue.ask(prompt.turns[turn]);
      const inference::GeneratedText text = generation.generate(name, asked, on_text());
      dialogue.answered(prompt.turns[turn], std::move(asked), text.result.tokens);
      finish(text);
    }
  }

  inference::OnText on_text() {
    if (!shows_text()) return {};
    return [this](const inference::TextSoFar& text) { shown_.show(text); };
  }

  void show_heading(const inference::TextName& name) const {
    if (num_texts_ < 2 || !shows_text() || options_.quiet) return;
    std::string heading = name.prompt;
    if (options_.turns == "all") heading += fmt::format(", turn {}", name.turn);
    if (options_.samples > 1) heading += fmt::format(", sample {}", name.sample);
    print_log("-- {}\n", heading);
  }

  void finish(const inference::GeneratedText& text) {
    records_.write(decode_record(text, target_, options_));
    figures_.add(text);
    if (options_.check) checked_.push_back(text);
    if (progress_) progress_->show(++done_);
  }

  inference::Target& target_;
  const DecodeOptions& options_;
  const std::vector<text::PromptRecord>& prompts_;
  RecordFile records_;
  ShownText shown_;
  std::int64_t num_texts_ = 0;
  std::int64_t done_ = 0;
  std::optional<Progress> progress_;
  Figures figures_;
  std::vector<inference::GeneratedText> checked_;
};

}  // namespace

void decode_prompts(inference::Target& target, const DecodeOptions& options,
                    const std::vector<text::PromptRecord>& prompts) {
  for (const text::PromptRecord& prompt : prompts) inference::check_fits(target, prompt);
  PromptRun(target, options, prompts).run();
}

}  // namespace outrider
