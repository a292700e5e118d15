#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::jinja {

/// A part of a template's source.
struct Token {
  enum class Kind : std::uint8_t {
    kData,           // text outside of tags, as it is written out
    kVariableBegin,  // {{
    kVariableEnd,    // }}
    kBlockBegin,     // {%
    kBlockEnd,       // %}
    kName,           // value: the name
    kString,         // value: the text between the quotes, escapes resolved
    kInteger,        // value: decimal digits
    kFloat,          // value: as written, without underscores
    kOperator,       // value: such as "<="
    kEnd,            // of the source
  };
  Kind kind;
  std::string value;
  std::size_t at;  // offset in the source
};

/// A template's source without what is left out before anything is read: every line ends with "\n",
/// and a last line end is dropped.
std::string normal_source(std::string_view source);

/// The parts of a template in normal form. White space around tags is removed as transformers sets Jinja:
/// the line end after a block, and the spaces before a block that is alone in its line.
/// @throws Mistake at what is no token, and where a tag has no end
std::vector<Token> read_tokens(std::string_view source);

}  // namespace outrider::jinja
