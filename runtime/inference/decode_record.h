#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/inference/generation.h"

namespace outrider::inference {

/// What the record of a text holds besides the text and its target.
struct RecordedRun {
  const GenerationOptions& generation;
  const std::string& method;                      // its name
  const nlohmann::ordered_json& method_settings;  // by their keys, as they were used
  bool attributes = false;                        // to positions of the prompt
  bool all_turns = false;                         // of a prompt, not only the first
  int samples = 1;                                // of each prompt
  int sequences = 1;                              // decoded at a time
};

/// One line of `runtime decode --json`: the text, its tokens, the settings and the figures. `turn`
/// and `sample` are present only where there are several.
///
/// The times of texts that share passes overlap, so a record of one of several sequences has none that could be taken
/// for its own or be added: in place of prefill_seconds, decode_seconds and the parts of these it has how long its
/// first and its last token took from when it was asked for, first_token_seconds and last_token_seconds.
std::string decode_record(const GeneratedText& text, const Target& target, const RecordedRun& run);

/// "drafts" of a record: [drafted, accepted] of each pass.
nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes);

/// "rows" of a record: drafted and accepted tokens by source and by rank within it.
nlohmann::ordered_json row_counts(const draft::RowStats& rows);

/// What a record says that the text depended on besides the target.
struct DecodedText {
  TextName name;
  std::vector<Token> prompt_tokens;  // at least one
  std::vector<Token> output_tokens;
  int max_new = 0;  // tokens of the text at most
  int context = 0;  // tokens of prompt and text that the target could hold
  sampling::SamplerOptions sampler;
};

/// Reads lines of `decode_record`: "id", "task", "prompt_tokens", "output_tokens" and, where present,
/// "turn" and "sample"; from "settings", "max_new", "context" and, where present, those of the sampler.
/// @param name     the file's name in messages
/// @param vocab    of the target
/// @param context  tokens that it can hold
/// @throws InputError naming file and line of the first record that differs from this, or is of
///         another model
std::vector<DecodedText> parse_decode_records(std::string_view text, const std::string& name,
                                              int vocab, int context);

}  // namespace outrider::inference
