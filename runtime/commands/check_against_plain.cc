#include "runtime/commands/check_against_plain.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/inference/first_difference.h"

namespace outrider {
namespace {

std::string describe(const inference::TextName& name, const DecodeRun& run) {
  std::string text = fmt::format("prompt '{}'", name.prompt);
  if (run.all_turns) text += fmt::format(", turn {}", name.turn);
  if (run.samples > 1) text += fmt::format(", sample {}", name.sample);
  return text;
}

void compare(const inference::GeneratedText& drafted, const inference::GeneratedText& plain,
             const inference::Target& target, const DecodeRun& run) {
  const auto difference = inference::first_difference(drafted, plain, target.tokenizer());
  if (!difference) return;
  throw CheckFailed(fmt::format("--check: {}: {} differs: --method {} gave {}, ar gives {}",
                                describe(drafted.name, run), difference->what, run.method.name(),
                                difference->found, difference->expected));
}

}  // namespace

void check_against_plain(inference::Target& target, const DecodeRun& run,
                         const std::vector<inference::GeneratedText>& texts) {
  target.renew_engine();
  cli::Progress progress("texts checked", static_cast<std::int64_t>(texts.size()),
                         run.quiet || texts.size() < 2);
  std::int64_t done = 0;
  for (const inference::GeneratedText& text : texts) {
    // A new cache for each text: an error in reusing prefixes would otherwise be on both sides.
    inference::Generation plainly(target, run.generation, text.context, nullptr);
    const inference::GeneratedText plain = plainly.generate(text.name, text.prompt_tokens);
    if (interrupted()) throw Interrupted();
    compare(text, plain, target, run);
    progress.show(++done);
  }
  if (!run.quiet) {
    print_log("check: {} of {} texts equal plain decoding: tokens, text and finish reason\n", done,
              done);
  }
}

}  // namespace outrider
