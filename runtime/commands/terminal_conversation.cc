#include "runtime/commands/terminal_conversation.h"

#include <optional>
#include <string>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/cli/interrupt.h"
#include "runtime/commands/figures.h"
#include "runtime/commands/shown_text.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"

namespace outrider {
namespace {

/// The dialogue and the cache of its keys and values, which are reset together.
struct Conversation {
  Conversation(inference::Target& target, const DecodeRun& run)
      : dialogue(target),
        generation(target, run.generation, target.context(), run.method.new_drafter()) {}

  inference::Dialogue dialogue;
  inference::Generation generation;
  int turn = 0;
};

void answer(Conversation& conversation, const std::string& message, const DecodeRun& run) {
  std::vector<Token> asked = conversation.dialogue.ask(message);
  ShownText shown(shows_colours(run));
  const inference::GeneratedText text = conversation.generation.generate(
      {"conversation", "", ++conversation.turn, 1}, asked,
      [&](const inference::TextSoFar& so_far) { shown.show(so_far); });
  conversation.dialogue.answered(message, std::move(asked), text.result.tokens);
  reset_interrupt();
  if (text.result.finish == decode::FinishReason::kContext) {
    print_log("The context of {} tokens is full; /reset starts over.\n", text.context);
  }
  if (run.quiet) return;
  Figures figures;
  figures.add(text);
  print_log("[{}]\n", figures.line());
}

}  // namespace

void converse(Terminal& terminal, inference::Target& target, const DecodeRun& run) {
  if (!run.quiet) {
    print_log("{}, --method {}. /reset starts over, /exit or Ctrl-D ends.\n", target.model().name,
              run.method.name());
  }
  std::optional<Conversation> conversation;
  for (;;) {
    const std::optional<ReadMessage> read = terminal.read();
    if (interrupted()) throw Interrupted();
    if (!read) return;
    const std::string& message = read->text;
    if (message.empty()) continue;
    if (message.front() == '/' && !read->was_pasted) {
      if (message == "/exit") return;
      if (message == "/reset") {
        conversation.reset();
        print_log("A new conversation.\n");
      } else {
        print_log("expected /reset or /exit, found {}\n", message);
      }
      continue;
    }
    if (!conversation) conversation.emplace(target, run);
    try {
      answer(*conversation, message, run);
    } catch (const InputError& error) {  // a message that is not UTF-8
      print_log("{}\n", error.what());
    }
  }
}

}  // namespace outrider
