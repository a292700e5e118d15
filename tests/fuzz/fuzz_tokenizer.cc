// Any bytes as text: refused when they are not UTF-8, else encoded into tokens that decode to the
// same bytes.

#include <cstdlib>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/text/tokenizer.h"
#include "runtime/text/utf8.h"
#include "tests/fuzz/tiny_tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  if (size == 0) return 0;
  static const text::Tokenizer tokenizer(fuzz::tiny_tokenizer_spec());
  const bool parse_special = data[0] % 2 == 1;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const auto tokens = tokenizer.encode(input, parse_special);
    if (tokenizer.decode(tokens, true) != input) std::abort();
  } catch (const InputError&) {
    if (!text::find_invalid_utf8(input)) std::abort();  // nothing else may be refused
  }
  return 0;
}
