// Any bytes as a prompts file: refused with an InputError, or records with turns.

#include <cstdlib>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/prompt_files/prompt_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  try {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    for (const text::PromptRecord& record : text::parse_prompts(input, "fuzzed.jsonl")) {
      if (record.id.empty() || record.turns.empty()) std::abort();
      for (const std::string& turn : record.turns) {
        if (turn.empty()) std::abort();
      }
    }
  } catch (const InputError&) {
  }
  return 0;
}
