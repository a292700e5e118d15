#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/generate/prompt_conversation.h"
#include "data/generate/prompt_selection.h"
#include "data/store/recorded_answers.h"
#include "runtime/base/hash.h"

namespace outrider::data {

/// The hash of all that a target read before its answers to a prompt: the tokens before each answer, sample after sample
/// and turn after turn. It says whether a prompt is the one that was answered, and not what was asked.
class AskedHash {
 public:
  void add(std::span<const Token> before_an_answer);
  std::uint64_t value() const { return hasher_.low(); }

 private:
  Hasher hasher_;
};

/// These answers, found by the prompts' ids. @param answers  must outlive it
GivenAnswers answers_given(const RecordedAnswers& answers);

/// The prompts that the answers are to, in the answers' order, with as many turns as were answered.
/// @param recipe   that of the answers
/// @param records  all that there are, with others among them
/// @param name     of the answers' file, for messages
/// @param skip_changed  whether answers are left out whose prompt is missing or another one, or refused
/// @throws InputError when nothing is left
PromptSelection select_answered(const inference::Target& target, const Recipe& recipe,
                                std::vector<text::PromptRecord> records,
                                const RecordedAnswers& answers, const std::string& name,
                                bool skip_changed);

}  // namespace outrider::data
