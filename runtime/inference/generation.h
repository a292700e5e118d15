#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/decode/attribution.h"
#include "runtime/decode/decode_loop.h"
#include "runtime/draft/drafter.h"
#include "runtime/inference/growing_text.h"
#include "runtime/inference/target.h"
#include "runtime/sampling/sampler_options.h"
#include "runtime/sampling/token_constraint.h"

namespace outrider::inference {

struct GenerationOptions {
  int max_new = 256;                    // tokens of a text
  std::vector<std::string> stops = {};  // a text ends before the first of these
  int prefill_chunk = 64;               // prompt tokens in one pass
  sampling::SamplerOptions sampler = {};
  int min_span = 5;                        // shortest copy that is attributed, in tokens
  std::function<bool()> interrupted = {};  // called before every pass; true ends the text
  /// Makes what each text has to be; empty: anything. Text that it forces is drafted too, with every drafter.
  sampling::NewConstraint new_constraint = {};
};

/// Identifies a text: its prompt, and which turn and which sample of it, both from 1. Determines
/// the noise of sampling.
struct TextName {
  std::string prompt;
  std::string task;
  int turn = 1;
  int sample = 1;
};

/// One generated text and what it was generated from.
struct GeneratedText {
  TextName name;
  std::vector<Token> prompt_tokens;  // everything before the text
  int context = 0;                   // the most tokens its conversation can reach
  std::string text;
  decode::DecodeResult result;
  std::vector<decode::CopiedSpan> copied;  // of at least min_span tokens
};

/// The seed of a text's noise, in its sampler.
sampling::Sampler sampler_of(const Target& target, const GenerationOptions& options,
                             const TextName& name);

/// The limits of each text.
decode::DecodeLimits limits_of(const Target& target, const GenerationOptions& options);

/// The drafter of a text: where its options have a constraint, asked only where that forces no text.
std::unique_ptr<draft::Drafter> with_forced_text(std::unique_ptr<draft::Drafter> drafter,
                                                 const Target& target,
                                                 const GenerationOptions& options);

/// Generates the turns of one conversation, and further samples of them: one KV cache, which keeps
/// the prefix shared with the text before, and one drafter.
class Generation {
 public:
  /// @param context  the most tokens the conversation may reach
  /// @param drafter  nullptr: plain decoding
  /// @throws InputError for sampler options that do not fit the target's vocabulary
  Generation(Target& target, GenerationOptions options, int context,
             std::unique_ptr<draft::Drafter> drafter);

  int context() const { return context_; }

  /// A conversation whose context is full gives an empty text (`context`) without a call of
  /// `on_text`.
  GeneratedText generate(TextName name, std::vector<Token> prompt_tokens,
                         const OnText& on_text = {});

 private:
  Target& target_;
  GenerationOptions options_;
  int context_;
  decode::Decoder decoder_;
  std::unique_ptr<draft::Drafter> drafter_;
};

}  // namespace outrider::inference
