#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/programs/shell.h"

namespace outrider::test {
namespace {

/// A conversation through a pseudo terminal, recorded in the file `talk`; `typed` are shell commands
/// that wait for a text there and type.
Outcome converse(const Shell& shell, const std::string& typed,
                 const std::string& flags = "-m $tiny -n 5") {
  return shell.run("rm -f talk; { " + typed + "; sleep 0.2; } | script -qfec \"$runtime decode " +
                   flags + "\" talk");
}

// Waits until the program asks for the n-th message.
std::string asked(int n) { return "wait_for talk '> ' " + std::to_string(n) + "; "; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST(Conversation, AnswersUntilExit) {
  const Shell shell;
  const Outcome outcome = converse(
      shell, asked(1) + "echo hello; " + asked(2) + "echo again; " + asked(3) + "echo /exit");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(count(outcome.out, "tokens per pass"), 2u) << outcome.out;
}

TEST(Conversation, CtrlDEndsItToo) {
  const Shell shell;
  const Outcome outcome = converse(shell, asked(1) + "echo hello; " + asked(2) + "printf '\\004'");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(count(outcome.out, "tokens per pass"), 1u) << outcome.out;
}

TEST(Conversation, TakesWhatIsPastedAsOneTurn) {
  const Shell shell;
  const Outcome outcome =
      converse(shell,
               asked(1) + "printf '\\033[200~/one\\ntwo\\n%05000d\\033[201~\\n' 7; " + asked(2) +
                   "printf '\\004'",
               "-m $endless -n 2");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(count(outcome.out, "tokens per pass"), 1u) << outcome.out;
  EXPECT_EQ(count(outcome.out, "expected /reset"), 0u) << outcome.out;
}

TEST(Conversation, ResetBeginsAnewAndUnknownCommandsAreNamed) {
  const Shell shell;
  const Outcome outcome = converse(shell, asked(1) + "echo hello; " + asked(2) + "echo /reset; " +
                                              asked(3) + "echo /rest; " + asked(4) + "echo /exit");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("A new conversation."), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("expected /reset or /exit, found /rest"), std::string::npos)
      << outcome.out;
}

TEST(Conversation, AFullContextIsReportedAndResetHelps) {
  const Shell shell;
  const Outcome outcome =
      converse(shell,
               asked(1) + "echo hello; " + asked(2) + "echo more; " + asked(3) + "echo /reset; " +
                   asked(4) + "echo hello; " + asked(5) + "echo /exit",
               "-m $tiny -n 300 --logit-bias 2=-1000 100=1000");
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_EQ(count(outcome.out, "The context of 512 tokens is full; /reset starts over."), 1u)
      << outcome.out;
}

TEST(Conversation, CtrlCEndsTheAnswerAndAtThePromptTheConversation) {
  const Shell shell;
  // Every token is the letter a, so that one can wait for the answer to begin.
  const std::string answering = "until [ \"$(tail -c 4 talk)\" = aaaa ]; do sleep 0.05; done; ";
  const Outcome outcome =
      converse(shell,
               asked(1) + "echo hello; " + answering + "printf '\\003'; " + asked(2) +
                   "echo more; " + answering + "printf '\\003'; " + asked(3) + "printf '\\003'",
               "-m $endless -n 180000 --method ar --logit-bias 2=-1000 100=1000");
  EXPECT_EQ(outcome.status, 130) << outcome.out.substr(
      outcome.out.size() - std::min<std::size_t>(outcome.out.size(), 500));
  EXPECT_EQ(count(outcome.out, "tokens per pass"), 2u);
}

TEST(Conversation, TakesNoFlagsThatNeedAPrompt) {
  const Shell shell;
  for (const char* flag : {"--json x", "--check", "--samples 2"}) {
    const Outcome outcome = converse(shell, ":", std::string("-m $tiny ") + flag);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_NE(outcome.out.find("not in a conversation; give a prompt"), std::string::npos)
        << outcome.out;
  }
}

}  // namespace
}  // namespace outrider::test
