#include "calibrate/answers/decoded_answers.h"

#include <algorithm>
#include <cstdint>

#include "runtime/base/text_file.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/decode_record.h"
#include "runtime/prompt_files/json_records.h"
#include "runtime/sampling/sampler.h"

namespace outrider::calibrate {
namespace {

/// @param context  tokens of prompt and answer at most
Answer answer_from(const inference::TextName& name, const std::vector<Token>& prompt,
                   const std::vector<Token>& output, int max_new, int context,
                   const sampling::SamplerOptions& sampler) {
  Answer answer{name.prompt, name.task, prompt, static_cast<int>(prompt.size())};
  answer.tokens.insert(answer.tokens.end(), output.begin(), output.end());
  answer.max_new = max_new;
  answer.context = context;
  answer.sampler = sampler;
  answer.sequence_seed = sampling::sequence_seed(sampler.seed, name.prompt, name.turn, name.sample);
  return answer;
}

}  // namespace

Answer answer_of(const inference::GeneratedText& text,
                 const inference::GenerationOptions& options) {
  return answer_from(text.name, text.prompt_tokens, text.result.tokens, options.max_new,
                     text.context, options.sampler);
}

std::vector<Answer> answers_to(const std::vector<text::PromptRecord>& prompts,
                               const inference::Target& target,
                               const inference::GenerationOptions& options) {
  std::vector<Answer> answers;
  for (const text::PromptRecord& prompt : prompts)
    answers.push_back(answer_from(
        {prompt.id, prompt.task}, inference::first_turn(target, prompt), {}, options.max_new,
        inference::context_needed(target, prompt, options.max_new), options.sampler));
  return answers;
}

std::vector<Answer> parse_decoded_answers(std::string_view text, const std::string& name, int vocab,
                                          int context) {
  std::vector<Answer> answers;
  for (const inference::DecodedText& one :
       inference::parse_decode_records(text, name, vocab, context)) {
    const std::int64_t needed = std::ssize(one.prompt_tokens) + one.max_new;
    answers.push_back(answer_from(one.name, one.prompt_tokens, one.output_tokens, one.max_new,
                                  static_cast<int>(std::min<std::int64_t>(one.context, needed)),
                                  one.sampler));
  }
  return answers;
}

std::vector<Answer> read_decoded_answers(const std::filesystem::path& path, int vocab,
                                         int context) {
  return parse_decoded_answers(read_text_file(path, text::kMostPromptBytes), input_name(path),
                               vocab, context);
}

}  // namespace outrider::calibrate
