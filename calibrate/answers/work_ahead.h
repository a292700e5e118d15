#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "runtime/base/watch.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::calibrate {

/// The texts that a command will work on, before any of it is done.
struct WorkAhead {
  std::int64_t to_make = 0;   // answers that the target has to give first; a later round may follow
  double making_seconds = 0;  // as far as one of its passes tells
  std::int64_t answers = 0;   // all, with those to make
  std::int64_t tokens = 0;    // of their texts; those of answers to make at most
  Answer sample;              // one as long as most of them, to time a part of the work on

  /// Seconds of work on the texts, by its time on the sample; 0 where there are none.
  double seconds_of(const std::function<void(const Answer&)>& work) const;
  /// The same with this part of the answers and their tokens.
  WorkAhead share(double part) const;
};

/// Of answers that are there.
WorkAhead work_on(const std::vector<Answer>& answers);

/// Tells how long work on answers takes, as far as a sample of them tells; nothing where nobody hears it or none is left.
/// @param left  what is left to do
/// @param what  "texts read twice"
void plan_answers(Watch& watch, const std::vector<Answer>& left, const std::string& what,
                  const std::function<void(const Answer&)>& work);
/// Tells how long it takes to decode prompts, as far as the first tokens of one of them tell; nothing likewise.
/// @param what    "texts decoded with 3 settings each"
/// @param times   that each is decoded as `decode` does
/// @param decode  (prompt, number of tokens)
void plan_prompts(Watch& watch, const std::vector<text::PromptRecord>& left, int max_new,
                  const std::string& what, double times,
                  const std::function<void(const text::PromptRecord&, int max_new)>& decode);

/// Seconds of decoding texts of so many tokens, by the time that their first ones take.
/// @param decode  decodes them up to a number of tokens
double seconds_of_decoding(int max_new, const std::function<void(int max_new)>& decode);

/// A text of token ids that occur as often as words do, with a prompt of half of it.
Answer made_up_answer(int vocab, int tokens);

}  // namespace outrider::calibrate
