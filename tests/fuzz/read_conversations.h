#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "data/prompts/prompt_formats.h"

namespace outrider::fuzz {

/// Reads an input as records: its first byte modulo 4 selects sharegpt, openai, spec-bench or text, and the
/// rest is the file.
/// @throws InputError as the reader does
inline std::vector<text::PromptRecord> read_conversations(std::string_view input) {
  const std::array readers = {data::parse_sharegpt, data::parse_openai, data::parse_spec_bench,
                              data::parse_text};
  if (input.empty()) return {};
  const auto reader = static_cast<unsigned char>(input[0]) % readers.size();
  return readers[reader](input.substr(1), "fuzzed");
}

}  // namespace outrider::fuzz
