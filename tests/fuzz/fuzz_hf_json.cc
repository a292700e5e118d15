// Any bytes as tokenizer.json: refused with an InputError, or a tokenizer that is refused or works.
// The same bytes as config.json: refused, or sizes above 0.

#include <cstdlib>
#include <iterator>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/tokenizer/tokenizer.h"
#include "tests/fuzz/read_hf_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const text::Tokenizer tokenizer(fuzz::read_hf_tokenizer_text(input));
    tokenizer.decode(tokenizer.encode("a ab 123\r\n <s>", true));
  } catch (const InputError&) {
  }
  try {
    const model::ModelConfig shape = fuzz::read_hf_config_text(input);
    if (shape.layers < 1 || shape.heads < 1 || shape.head_width < 2 || shape.vocab < 1)
      std::abort();
    if (!shape.windows.empty() && std::ssize(shape.windows) != shape.layers) std::abort();
    const bool rotary = shape.positions == model::Positions::kRotary;
    if (rotary ? shape.rotary_width < 2 || shape.rotary_width > shape.head_width
               : shape.rotary_width != 0)
      std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
