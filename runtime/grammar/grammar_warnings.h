#pragma once

#include <string>
#include <vector>

namespace outrider::grammar {

/// Collects what xgrammar says of grammars that it makes on this thread, as long as it lives: what it leaves out. Without
/// one that is dropped; nothing is ever printed.
class GrammarWarnings {
 public:
  GrammarWarnings();
  ~GrammarWarnings();
  GrammarWarnings(const GrammarWarnings&) = delete;
  GrammarWarnings& operator=(const GrammarWarnings&) = delete;

  const std::vector<std::string>& all() const { return all_; }
  void add(const std::string& warning) { all_.push_back(warning); }

 private:
  std::vector<std::string> all_;
};

}  // namespace outrider::grammar
