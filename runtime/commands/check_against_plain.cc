#include "runtime/commands/check_against_plain.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/log.h"
#include "runtime/cli/progress.h"

namespace outrider {
namespace {

std::string describe(const inference::TextName& name, const DecodeRun& run) {
  std::string text = fmt::format("prompt '{}'", name.prompt);
  if (run.all_turns) text += fmt::format(", turn {}", name.turn);
  if (run.samples > 1) text += fmt::format(", sample {}", name.sample);
  return text;
}

std::string token_at(const std::vector<Token>& tokens, std::size_t position,
                     const text::Tokenizer& tokenizer) {
  if (position >= tokens.size()) return "the end of the text";
  const Token token = tokens[position];
  return fmt::format("token {} '{}'", token, tokenizer.decode(std::span(&token, 1), true));
}

void compare(const inference::GeneratedText& drafted, const inference::GeneratedText& plain,
             const inference::Target& target, const DecodeRun& run) {
  const std::vector<Token>& mine = drafted.result.tokens;
  const std::vector<Token>& theirs = plain.result.tokens;
  const std::size_t position = common_prefix(mine, theirs);
  const auto fail = [&](const std::string& what, const std::string& found,
                        const std::string& expected) {
    throw CheckFailed(fmt::format("--check: {}: {} differs: --method {} gave {}, ar gives {}",
                                  describe(drafted.name, run), what, run.method.name(), found,
                                  expected));
  };
  if (position < mine.size() || position < theirs.size())
    fail(fmt::format("position {} of the text", position),
         token_at(mine, position, target.tokenizer()),
         token_at(theirs, position, target.tokenizer()));
  if (drafted.result.finish != plain.result.finish)
    fail("the finish reason", decode::finish_name(drafted.result.finish),
         decode::finish_name(plain.result.finish));
  if (drafted.text != plain.text)
    fail("the text of equal tokens", fmt::format("'{}'", drafted.text),
         fmt::format("'{}'", plain.text));
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
