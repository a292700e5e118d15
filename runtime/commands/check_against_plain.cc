#include "runtime/commands/check_against_plain.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

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
  const auto differs = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end()).first;
  const auto position = static_cast<std::size_t>(differs - mine.begin());
  if (position == mine.size() && position == theirs.size()) return;
  throw CheckFailed(
      fmt::format("--check: {}: position {} of the text differs: --method {} gave {}, ar gives {}",
                  describe(drafted.name, run), position, run.method.name(),
                  token_at(mine, position, target.tokenizer()),
                  token_at(theirs, position, target.tokenizer())));
}

}  // namespace

void check_against_plain(inference::Target& target, const DecodeRun& run,
                         const std::vector<inference::GeneratedText>& texts) {
  target.renew_engine();
  cli::Progress progress("texts checked", static_cast<std::int64_t>(texts.size()),
                         run.quiet || texts.size() < 2);
  std::int64_t done = 0;
  std::optional<inference::Generation> plainly;  // of the prompt before
  for (const inference::GeneratedText& text : texts) {
    if (!plainly || plainly->context() != text.context)
      plainly.emplace(target, run.generation, text.context, nullptr);
    const inference::GeneratedText plain = plainly->generate(text.name, text.prompt_tokens);
    if (interrupted()) throw Interrupted();
    compare(text, plain, target, run);
    progress.show(++done);
  }
  if (!run.quiet) {
    print_log("check: {} of {} texts equal plain decoding token for token\n", done, done);
  }
}

}  // namespace outrider
