// Any sequence of tokens: the streamed text equals that of all tokens at once, every portion is valid
// UTF-8, and the text before a stop string does not depend on the portions.

#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/tokenizer/detokenizer.h"
#include "runtime/tokenizer/stop_strings.h"
#include "tests/fuzz/tiny_tokenizer.h"

namespace {

using namespace outrider;

void require(bool condition) {
  if (!condition) std::abort();
}

std::string stream(const text::Tokenizer& tokenizer, const std::vector<Token>& tokens,
                   bool show_special, text::StopStrings& stops) {
  text::Detokenizer detokenizer(tokenizer, show_special);
  std::string all;
  std::string until_stop;
  const auto give = [&](const std::string& portion) {
    require(!text::find_invalid_utf8(portion));
    all += portion;
    until_stop += stops.push(portion);
  };
  for (const Token token : tokens) give(detokenizer.push(token));
  give(detokenizer.flush());
  until_stop += stops.flush();
  require(all == tokenizer.decode(tokens, show_special));
  return until_stop;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const text::Tokenizer tokenizer(fuzz::tiny_tokenizer_spec());
  const std::vector<std::string> stop_texts = {"he", "hello", "\n\n", "lle", "\xF0\x9F\x98\x80"};
  const bool show_special = data[0] % 2 == 1;
  std::vector<Token> tokens;
  for (std::size_t i = 1; i < size; ++i) {
    // A byte is a token; 0xFF and the byte after it encode larger ids.
    int token = data[i];
    if (token == 0xFF && i + 1 < size) token += data[++i];
    tokens.push_back(token);
  }
  try {
    text::StopStrings stops(stop_texts);
    const std::string streamed = stream(tokenizer, tokens, show_special, stops);
    text::StopStrings at_once(stop_texts);
    std::string whole = at_once.push(tokenizer.decode(tokens, show_special));
    whole += at_once.flush();
    require(streamed == whole && stops.stopped() == at_once.stopped());
  } catch (const InputError&) {
    bool known = true;
    for (const Token token : tokens) known = known && token < tokenizer.vocab();
    require(!known);  // only ids outside the vocabulary may be refused
  }
  return 0;
}
