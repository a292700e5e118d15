#include "runtime/grammar/grammars.h"

#include <fmt/core.h>
#include <xgrammar/compiler.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/grammar/grammar_warnings.h"
#include "runtime/grammar/matched_answer.h"
#include "runtime/grammar/run_apart.h"
#include "runtime/grammar/schema_check.h"

namespace outrider::grammar {
namespace {

constexpr std::size_t kMostKept = 64;
constexpr std::size_t kMostKeptBytes = std::size_t{256} << 20;
constexpr const char* kAnyObject = R"({"type": "object"})";

xgrammar::TokenizerInfo vocabulary_of(const text::Tokenizer& tokenizer, std::span<const Token> ends,
                                      int vocab) {
  std::vector<std::string> pieces;
  pieces.reserve(static_cast<std::size_t>(vocab));
  // A token without bytes is never allowed, but for those that end. JSON on one line has no control characters, which
  // xgrammar lets pass in strings of limited length.
  const auto is_control = [](char byte) { return static_cast<unsigned char>(byte) < 0x20; };
  for (Token token = 0; token < std::min(tokenizer.vocab(), vocab); ++token)
    pieces.push_back(
        std::any_of(tokenizer.piece(token).begin(), tokenizer.piece(token).end(), is_control)
            ? ""
            : tokenizer.piece(token));
  return {pieces, xgrammar::VocabType::RAW, vocab,
          std::vector<std::int32_t>(ends.begin(), ends.end())};
}

/// @throws InputError where xgrammar leaves something of the schema out
xgrammar::CompiledGrammar compiled(const xgrammar::TokenizerInfo& vocabulary,
                                   const AnswerFormat& format) {
  const bool is_object = format.kind == AnswerFormat::Kind::kJsonObject;
  const GrammarWarnings warnings;
  const auto grammar =
      xgrammar::Grammar::FromJSONSchema(is_object ? kAnyObject : format.schema, false, std::nullopt,
                                        std::nullopt, /*strict_mode=*/!is_object);
  xgrammar::GrammarCompiler compiler(vocabulary, /*max_threads=*/1, /*cache_enabled=*/false);
  auto result = compiler.CompileGrammar(grammar);
  if (!warnings.all().empty()) throw InputError(warnings.all().front());
  return result;
}

}  // namespace

struct Grammars::State {
  struct Kept {
    AnswerFormat format;
    xgrammar::CompiledGrammar grammar;
  };

  const text::Tokenizer& tokenizer;
  std::vector<Token> ends;
  int vocab;
  std::mutex mutex = {};
  std::optional<xgrammar::TokenizerInfo> vocabulary = {};  // once it is needed
  std::list<Kept> kept = {};                               // the one used last first

  /// @return nothing where it was not made lately
  std::optional<xgrammar::CompiledGrammar> find(const AnswerFormat& format);
  void keep(const AnswerFormat& format, const xgrammar::CompiledGrammar& grammar);
  xgrammar::CompiledGrammar compile(const AnswerFormat& format);
};

std::optional<xgrammar::CompiledGrammar> Grammars::State::find(const AnswerFormat& format) {
  for (auto one = kept.begin(); one != kept.end(); ++one) {
    if (one->format.kind != format.kind || one->format.schema != format.schema) continue;
    kept.splice(kept.begin(), kept, one);
    return one->grammar;
  }
  return std::nullopt;
}

void Grammars::State::keep(const AnswerFormat& format, const xgrammar::CompiledGrammar& grammar) {
  kept.push_front({format, grammar});
  std::size_t bytes = 0, number = 0;
  for (auto one = kept.begin(); one != kept.end();) {
    bytes += one->grammar.MemorySizeBytes();
    const bool stays = number++ == 0 || (number <= kMostKept && bytes <= kMostKeptBytes);
    one = stays ? std::next(one) : kept.erase(one);
  }
}

xgrammar::CompiledGrammar Grammars::State::compile(const AnswerFormat& format) {
  if (!vocabulary) vocabulary = vocabulary_of(tokenizer, ends, vocab);
  std::string written;
  try {
    written = run_apart([&] { return compiled(*vocabulary, format).SerializeJSON(); });
  } catch (const InputError& error) {
    throw InputError(fmt::format("the JSON schema cannot be made a grammar: {}", error.what()));
  }
  auto read = xgrammar::CompiledGrammar::DeserializeJSON(written, *vocabulary);
  if (!std::holds_alternative<xgrammar::CompiledGrammar>(read))
    throw std::runtime_error("Grammars: a compiled grammar could not be read");
  return std::get<xgrammar::CompiledGrammar>(std::move(read));
}

Grammars::Grammars(const text::Tokenizer& tokenizer, std::span<const Token> ends, int vocab)
    : state_(new State{tokenizer, {ends.begin(), ends.end()}, vocab}) {}
Grammars::~Grammars() = default;
Grammars::Grammars(Grammars&&) noexcept = default;
Grammars& Grammars::operator=(Grammars&&) noexcept = default;

bool has_grammars() { return true; }

sampling::NewConstraint Grammars::compile(const AnswerFormat& format) {
  if (format.kind == AnswerFormat::Kind::kText) return {};
  const std::lock_guard lock(state_->mutex);
  std::optional<xgrammar::CompiledGrammar> grammar = state_->find(format);
  if (!grammar) {
    if (format.kind == AnswerFormat::Kind::kJsonSchema) check_schema(format.schema);
    grammar = state_->compile(format);
    state_->keep(format, *grammar);
  }
  return [made = *grammar, vocab = state_->vocab] {
    return std::make_unique<MatchedAnswer>(made, vocab);
  };
}

}  // namespace outrider::grammar
