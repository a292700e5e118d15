#include "runtime/commands/decode_prompts.h"

#include <fmt/core.h>

#include <exception>
#include <optional>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/record_file.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/commands/check_against_plain.h"
#include "runtime/commands/figures.h"
#include "runtime/commands/shown_text.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/conversation_batch.h"
#include "runtime/inference/decode_record.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/for_prompt.h"

namespace outrider {
namespace {

/// The state of one call of decode_prompts.
class PromptRun {
 public:
  PromptRun(inference::Target& target, const DecodeRun& run,
            const std::vector<text::PromptRecord>& prompts)
      : target_(target),
        run_(run),
        prompts_(prompts),
        records_("--json", run.json),
        shown_(shows_colours(run)) {
    for (const text::PromptRecord& prompt : prompts) {
      num_texts_ += static_cast<std::int64_t>(prompt.turns.size()) * run.samples;
    }
    if (!shows_text() && num_texts_ > 1) progress_.emplace("texts", num_texts_, run.quiet);
  }

  void run() {
    const std::string figures = run_.sequences > 1 ? decode_together() : decode_alone();
    progress_.reset();
    if (!run_.quiet) print_log("{}\n", figures);
    if (interrupted()) throw Interrupted();
    if (run_.check) check_against_plain(target_, run_, checked_);
    if (not_shown_) std::rethrow_exception(not_shown_);
  }

 private:
  bool shows_text() const { return run_.json != "-"; }

  /// Each text after the one before it.
  std::string decode_alone() {
    for (const text::PromptRecord& prompt : prompts_) {
      if (interrupted()) break;
      // Its samples share the prompt's keys and values.
      inference::Generation generation(
          target_, run_.generation,
          inference::context_needed(target_, prompt, run_.generation.max_new),
          run_.method.new_drafter());
      for (int sample = 1; sample <= run_.samples && !interrupted(); ++sample) {
        converse(generation, prompt, sample);
      }
    }
    return figures_.line();
  }

  /// Several in the same passes. Each is shown when it and those before it are complete.
  std::string decode_together() {
    inference::ConversationBatch batch(target_, run_.generation,
                                       [this] { return run_.method.new_drafter(); },
                                       {.sequences = run_.sequences, .samples = run_.samples});
    const inference::OnText on_text = this->on_text();
    batch.run(prompts_, [&](const inference::BatchedText& one) {
      show_heading(one.text.name);
      if (on_text) batch.replay(one, on_text);
      warn_if_left_out(one.text);
      finish(one.text);
    });
    return figures_.line(run_.sequences, batch.stats(), batch.seconds());
  }

  void converse(inference::Generation& generation, const text::PromptRecord& prompt, int sample) {
    inference::Dialogue dialogue(target_, prompt);
    for (std::size_t turn = 0; turn < prompt.turns.size() && !interrupted(); ++turn) {
      const inference::TextName name = {prompt.id, prompt.task, static_cast<int>(turn) + 1, sample};
      show_heading(name);
      const std::vector<text::Message> message = text::asked_in(prompt, turn);
      std::vector<Token> asked =
          inference::for_prompt(prompt, [&] { return dialogue.ask(message); });
      const inference::GeneratedText text = generation.generate(name, asked, on_text());
      warn_if_left_out(text);
      dialogue.answered(message, std::move(asked), text.result.tokens);
      finish(text);
    }
  }

  inference::OnText on_text() {
    if (!shows_text()) return {};
    return [this](const inference::TextSoFar& text) {
      if (shows_no_more_) return;
      try {
        shown_.show(text);
      } catch (const ClosedPipe&) {
        go_on_without_text();
      } catch (const InputError&) {
        go_on_without_text();
        not_shown_ = std::current_exception();
      }
    };
  }

  /// Called in a handler when standard output has failed. Decoding goes on only for the records of --json or for
  /// --check, without showing text; otherwise the error ends it.
  void go_on_without_text() {
    if (run_.json.empty() && !run_.check) throw;
    shows_no_more_ = true;
  }

  void show_heading(const inference::TextName& name) const {
    if (num_texts_ < 2 || !shows_text() || run_.quiet) return;
    std::string heading = name.prompt;
    if (run_.all_turns) heading += fmt::format(", turn {}", name.turn);
    if (run_.samples > 1) heading += fmt::format(", sample {}", name.sample);
    print_log("-- {}\n", heading);
  }

  /// Warns of later turns that the context left out; the first was checked before decoding.
  static void warn_if_left_out(const inference::GeneratedText& text) {
    if (text.result.finish != decode::FinishReason::kContext || !text.result.tokens.empty()) return;
    print_log(
        "warning: prompt '{}', turn {}: no text: {} tokens come before it, expected fewer than the "
        "context of {}\n",
        text.name.prompt, text.name.turn, text.prompt_tokens.size(), text.context);
  }

  void finish(const inference::GeneratedText& text) {
    records_.write(
        inference::decode_record(text, target_,
                                 {run_.generation, run_.method.name(), run_.method.record(),
                                  run_.attributes, run_.all_turns, run_.samples, run_.sequences}));
    figures_.add(text);
    if (run_.check) checked_.push_back(text);
    if (progress_) progress_->show(++done_);
  }

  inference::Target& target_;
  const DecodeRun& run_;
  const std::vector<text::PromptRecord>& prompts_;
  RecordFile records_;
  ShownText shown_;
  bool shows_no_more_ = false;    // on standard output
  std::exception_ptr not_shown_;  // why, unless its reader has left
  std::int64_t num_texts_ = 0;
  std::int64_t done_ = 0;
  std::optional<cli::Progress> progress_;
  Figures figures_;
  std::vector<inference::GeneratedText> checked_;
};

/// The samples of a prompt differ by their noise only.
void warn_of_same_samples(const DecodeRun& run) {
  if (run.samples < 2 || run.generation.sampler.temperature > 0) return;
  print_log("warning: --samples {}: at temperature 0 all samples of a prompt are the same text\n",
            run.samples);
}

}  // namespace

void decode_prompts(inference::Target& target, const DecodeRun& run,
                    const std::vector<text::PromptRecord>& prompts) {
  warn_of_same_samples(run);
  PromptRun(target, run, prompts).run();
}

}  // namespace outrider
