#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/trace.h"

namespace outrider::calibrate {

/// A prompt and what the target said, up to where it falls into a loop: loops flatter whatever copies.
struct Answer {
  std::string id;  // the prompt's
  std::string task;
  std::vector<Token> text;  // prompt and answer
  int prompt = 0;           // tokens of the prompt, at least 1

  int made() const { return static_cast<int>(text.size()) - prompt; }
};

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
