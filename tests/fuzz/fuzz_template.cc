// Any bytes as a chat template: refused with an InputError, or rendered within its limits; and all that the
// output has of a user's text is marked as that.

#include <cstdlib>
#include <string_view>

#include "runtime/tokenizer/utf8.h"
#include "tests/fuzz/render_template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  if (text::find_invalid_utf8(source)) return 0;
  try {
    const jinja::Text out = fuzz::render_template(source);
    std::size_t end = 0;
    for (const jinja::Copied& part : out.copied()) {
      if (part.begin < end || part.begin >= part.end || part.end > out.size()) std::abort();
      end = part.end;
    }
    // Escapes, and formats with %c, could write these two characters too.
    if (source.find_first_of("\\%\x01\x02") != source.npos) return 0;
    std::size_t part = 0;
    for (std::size_t at = 0; at < out.size(); ++at) {
      if (out.bytes()[at] != '\x01' && out.bytes()[at] != '\x02') continue;
      while (part < out.copied().size() && out.copied()[part].end <= at) ++part;
      if (part == out.copied().size() || out.copied()[part].begin > at) std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
