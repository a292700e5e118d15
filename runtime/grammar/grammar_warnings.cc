#include "runtime/grammar/grammar_warnings.h"

#include <stdexcept>

namespace outrider::grammar {
namespace {

thread_local GrammarWarnings* collecting = nullptr;

}  // namespace

GrammarWarnings::GrammarWarnings() { collecting = this; }
GrammarWarnings::~GrammarWarnings() { collecting = nullptr; }

/// What xgrammar logs.
void collect(const std::string& message) {
  if (collecting != nullptr) collecting->add(message);
}

}  // namespace outrider::grammar

// xgrammar is compiled to call these (scripts/setup).
namespace xgrammar {

// NOLINTBEGIN(readability-identifier-naming): the names are xgrammar's.

[[noreturn]] void LogFatalImpl(const std::string& /*file*/, int /*line*/,
                               const std::string& message) {
  throw std::runtime_error(message);
}

void LogMessageImpl(const std::string& /*file*/, int /*line*/, int level,
                    const std::string& message) {
  constexpr int kWarning = 2;
  if (level >= kWarning) outrider::grammar::collect(message);
}

// NOLINTEND(readability-identifier-naming)

}  // namespace xgrammar
