#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/commands/journal.h"
#include "calibrate/replay/answer.h"
#include "runtime/commands/decode_target.h"

namespace outrider {
class CommandOptions;
}  // namespace outrider

namespace outrider::calibrate {

/// Whose answers a command looks at.
struct AnswerOptions {
  DecodeOptions decode;  // the model, how it computes, and the sampler of answers made here
  std::string data;      // a trace store; empty: they are made here
  std::string prompts = "configs/prompts/demo.jsonl";
  int samples = 8;  // of each prompt, at temperatures from 0 to 1

  AnswerOptions() { decode.turns = "all"; }
};

/// --model, --data, --prompts, --samples, --max-new, --seed and those of the machine.
void declare_answer_flags(CommandOptions& command, AnswerOptions& options);

struct Answers {
  std::vector<Answer> all;
  std::string identity;  // of the traces
};

/// Reads the answers, or makes them.
/// @throws InputError for a store of another model; Interrupted
Answers find_answers(DecodeTarget& target, const AnswerOptions& options);

/// Visits the answers one by one and shows how far it is. @param what  "answers counted"
/// @throws Interrupted
void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     const std::function<void(const Answer&)>& visit);

/// The same, but going on behind those that the journal kept.
/// @param visit    returns what it found out, which is kept
/// @param restore  is told what an earlier run found out; false: that cannot be
void for_each_answer(const std::string& what, std::span<const Answer> answers, bool quiet,
                     Journal& journal, const std::function<Journal::Entry(const Answer&)>& visit,
                     const std::function<bool(const Answer&, const Journal::Entry&)>& restore);

/// The journal of one part of a command's work on answers, beside the artifact file.
/// @param part      of the work, such as "heads"
/// @param settings  on which it depends beside the model, the answers and the program's version
Journal journal_of(const std::filesystem::path& artifact, const std::string& part,
                   const DecodeTarget& target, const std::vector<Answer>& answers,
                   const std::string& settings);

}  // namespace outrider::calibrate
