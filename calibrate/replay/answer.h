#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/trace.h"

namespace outrider::calibrate {

/// A prompt and what the target said. Loops flatter whatever copies, so nothing is counted in them.
struct Answer {
  std::string id;  // the prompt's
  std::string task;
  std::vector<Token> text;  // prompt and answer
  int prompt = 0;           // tokens of the prompt, at least 1
  /// [made] 1 where a token lies in a loop (data/loops.h); empty: none does.
  std::vector<std::uint8_t> in_loop = {};
  double temperature = 0;  // at which it was said

  int made() const { return static_cast<int>(text.size()) - prompt; }
  /// Whether text[position] lies in a loop of the answer.
  bool loops_at(std::size_t position) const;
  /// The first position from this one on that lies in no loop; the text's end if there is none.
  std::size_t after_loop(std::size_t position) const;
  /// The first position from this one on that lies in a loop; the text's end if there is none.
  std::size_t next_loop(std::size_t position) const;
};

/// Without the loop that the answer ends in, if it does: behind it nothing counts.
Answer answer_of(const data::Trace& trace);

/// Shares prompts out to two halves in turn.
class HalvesOfPrompts {
 public:
  /// The half that the answer's prompt belongs to, 0 or 1.
  std::size_t half_of(const Answer& answer);
  std::size_t prompts() const { return halves_.size(); }

 private:
  std::map<std::string, std::size_t> halves_;
};

}  // namespace outrider::calibrate
