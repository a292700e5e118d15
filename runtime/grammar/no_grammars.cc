// Grammars in a build without xgrammar: refused.

#include "runtime/base/error.h"
#include "runtime/grammar/grammars.h"

namespace outrider::grammar {

struct Grammars::State {};

Grammars::Grammars(const text::Tokenizer&, std::span<const Token>, int) {}
Grammars::~Grammars() = default;
Grammars::Grammars(Grammars&&) noexcept = default;
Grammars& Grammars::operator=(Grammars&&) noexcept = default;

bool has_grammars() { return false; }

sampling::NewConstraint Grammars::compile(const AnswerFormat& format) {
  if (format.kind == AnswerFormat::Kind::kText) return {};
  throw InputError(
      "this build has no grammars: it was made with -DOUTRIDER_GRAMMAR=OFF; `scripts/setup "
      "grammar`, then `scripts/build release -DOUTRIDER_GRAMMAR=ON`, makes one that can ensure "
      "JSON");
}

}  // namespace outrider::grammar
