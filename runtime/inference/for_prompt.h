#pragma once

#include <fmt/core.h>

#include <string>

#include "runtime/jinja/template.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::inference {

/// Does `work` for a prompt: where the chat template does not take its conversation, the message names
/// the prompt, and its file and line.
/// @throws jinja::TemplateRefusal, jinja::TemplateError, and what `work` throws
template <typename Work>
auto for_prompt(const text::PromptRecord& prompt, const Work& work) {
  const auto named = [&](const jinja::TemplateError& error) {
    return fmt::format("{}{}prompt '{}': {}", prompt.where, prompt.where.empty() ? "" : ": ",
                       prompt.id, error.what());
  };
  try {
    return work();
  } catch (const jinja::TemplateRefusal& refusal) {
    throw jinja::TemplateRefusal(
        named(refusal) + (prompt.where.empty() ? "" : "; --skip-refused leaves such prompts out"));
  } catch (const jinja::TemplateError& error) {
    throw jinja::TemplateError(named(error));
  }
}

}  // namespace outrider::inference
