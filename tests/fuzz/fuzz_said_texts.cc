// Any bytes as records of decoded texts: refused with an InputError, or texts that fit their model.

#include <cstdlib>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/records/said_texts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  constexpr int kVocab = 50, kContext = 64;
  try {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    for (const text::SaidText& said :
         text::parse_said_texts(input, "fuzzed.jsonl", kVocab, kContext)) {
      if (said.prompt.empty() || said.context > kContext) std::abort();
      const auto output = static_cast<std::int64_t>(said.output.size());
      if (said.max_new < output) std::abort();
      if (static_cast<std::int64_t>(said.prompt.size()) + output > said.context + 1) std::abort();
      for (const auto* tokens : {&said.prompt, &said.output})
        for (const Token token : *tokens)
          if (token < 0 || token >= kVocab) std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
