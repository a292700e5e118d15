// Any bytes as text: refused if they are not UTF-8, else encoded to tokens that decode to the same bytes;
// with a character vocabulary, except for the marks of spaces.

#include <cstdlib>
#include <string>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/tokenizer/normaliser.h"
#include "runtime/tokenizer/tokenizer.h"
#include "runtime/tokenizer/utf8.h"
#include "tests/fuzz/tiny_tokenizer.h"
#include "tests/tokenizer/small_pieces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  if (size == 0) return 0;
  static const text::Tokenizer byte_level(fuzz::tiny_tokenizer_spec());
  static const text::Tokenizer pieces(
      test::small_pieces({{"a", -9}, {"ab", -1}, {"▁", -9}, {"▁a", -2}, {"中文", -3}}, false));
  const bool parse_special = data[0] % 2 == 1;
  const bool of_characters = data[0] / 4 % 2 == 1;
  const text::Tokenizer& tokenizer = of_characters ? pieces : byte_level;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const auto tokens = tokenizer.encode(input, parse_special);
    const std::string expected =
        of_characters ? text::replace_all(input, text::kSpaceMark, " ") : std::string(input);
    if (tokenizer.decode(tokens, true) != expected) std::abort();
  } catch (const InputError&) {
    if (!text::find_invalid_utf8(input)) std::abort();  // nothing else may be refused
  }
  return 0;
}
