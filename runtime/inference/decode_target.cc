#include "runtime/inference/decode_target.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider {
namespace {

int checked_context(const DecodeOptions& options, const model::Model& model) {
  const int most = model.config.context;
  if (options.context > most) {
    throw InputError(fmt::format("--ctx: expected at most {}, the context of {}, found {}", most,
                                 model.path.string(), options.context));
  }
  return options.context == 0 ? most : options.context;
}

}  // namespace

DecodeTarget::DecodeTarget(const DecodeOptions& options)
    : engine_flags_(options.engine),
      quiet_(options.quiet),
      model_(model::load_model(options.model)),
      tokenizer_(model_.tokenizer),
      chat_(text::ChatFormat::choose(options.chat, model_.tokenizer)),
      end_tokens_(model_.tokenizer.end_tokens),
      context_(checked_context(options, model_)) {
  const std::string& end_of_turn = chat_.end_of_turn();
  if (!end_of_turn.empty()) end_tokens_.push_back(tokenizer_.special(end_of_turn));
  sampling::check(options.sampler, model_.config.vocab);
  renew_engine();
}

std::vector<Token> DecodeTarget::answer_tokens(const std::string& text) const {
  return tokenizer_.encode(chat_.answer(text));
}

void DecodeTarget::renew_engine() {
  engine_.reset();
  engine_ = make_engine(model_, engine_flags_, quiet_);
}

}  // namespace outrider
