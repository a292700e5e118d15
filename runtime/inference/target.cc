#include "runtime/inference/target.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/error.h"
#include "runtime/tokenizer/end_tokens.h"

namespace outrider::inference {
namespace {

int checked_context(int asked, const model::Model& model) {
  const int most = model.config.context;
  if (asked > most) {
    throw InputError(fmt::format("--ctx: expected at most {}, the context of {}, found {}", most,
                                 model.path.string(), asked));
  }
  return asked == 0 ? most : asked;
}

}  // namespace

Target::Target(TargetOptions options)
    : options_(std::move(options)),
      model_(model::load_model(options_.model)),
      tokenizer_(model_.tokenizer),
      chat_(text::ChatFormat::choose(options_.chat, model_.tokenizer)),
      end_tokens_(text::end_tokens(model_.tokenizer)),
      context_(checked_context(options_.context, model_)) {
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
