#include "runtime/inference/target.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/model/extend_context.h"
#include "runtime/tokenizer/end_tokens.h"

namespace outrider::inference {
Target::Target(TargetOptions options)
    : options_(std::move(options)),
      model_(model::load_for_context(options_.model, options_.context, options_.recorded_context)),
      tokenizer_(model_.tokenizer),
      chat_(text::ChatFormat::choose(options_.chat, model_.tokenizer)),
      end_tokens_(text::end_tokens(model_.tokenizer)),
      context_(options_.context == 0 ? model_.config.context : options_.context) {
  if (const std::string& end_of_turn = chat_.end_of_turn(); !end_of_turn.empty()) {
    const Token end = tokenizer_.special(end_of_turn);
    if (std::find(end_tokens_.begin(), end_tokens_.end(), end) == end_tokens_.end())
      end_tokens_.push_back(end);
  }
  if (options_.chat.format == "auto" && chat_.is_raw() && options_.notices.inform) {
    options_.notices.inform(fmt::format(
        "{} has no chat template: prompts are continued as plain text", options_.model));
  }
  renew_engine();
}

std::vector<Token> Target::answer_tokens(const std::string& text) const {
  return tokenizer_.encode(chat_.answer(text));
}

void Target::renew_engine() {
  engine_.reset();
  options_.engine.cache_tokens = options_.context;
  engine_ = engine::make_engine(model_, options_.engine);
}

}  // namespace outrider::inference
