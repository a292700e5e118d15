// Any bytes as a schema of answers: refused with a message that is UTF-8, or one that JSON can be of.

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/grammar/schema_check.h"
#include "runtime/tokenizer/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace outrider;
  const std::string_view schema(reinterpret_cast<const char*>(data), size);
  try {
    grammar::check_schema(schema);
    const nlohmann::json parsed = nlohmann::json::parse(schema);
    if (!parsed.is_object() && !parsed.is_boolean()) std::abort();
  } catch (const InputError& error) {
    if (std::string_view(error.what()).empty() || text::find_invalid_utf8(error.what()))
      std::abort();
  }
  return 0;
}
