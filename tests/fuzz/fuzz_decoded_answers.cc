// Any bytes as records of decoded texts: refused with an InputError, or answers that fit their model.

#include <cstdlib>
#include <string_view>

#include "calibrate/answers/decoded_answers.h"
#include "runtime/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  constexpr int kVocab = 50, kContext = 64;
  try {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    for (const calibrate::Answer& answer :
         calibrate::parse_decoded_answers(input, "fuzzed.jsonl", kVocab, kContext)) {
      if (answer.prompt < 1 || answer.made() < 0) std::abort();
      if (answer.context.value() > kContext || answer.max_new.value() < answer.made()) std::abort();
      if (std::ssize(answer.tokens) > answer.context.value() + 1) std::abort();
      for (const Token token : answer.tokens)
        if (token < 0 || token >= kVocab) std::abort();
      sampling::check(answer.sampler, kVocab);
    }
  } catch (const InputError&) {
  }
  return 0;
}
