#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// What of a prompt is compared with others.
struct PromptWords {
  explicit PromptWords(const text::PromptRecord& record);

  /// XXH3-128 of the lower-case words of each turn, a space between them; turns of fewer than 5 words,
  /// which many prompts share, are left out.
  std::vector<std::string> turn_hashes;
  std::unordered_set<std::uint64_t> runs;  // hashes of every 13 consecutive words
};

/// Prompts that are measured on and so must not be trained on.
class MeasuredPrompts {
 public:
  void add(const text::PromptRecord& record);
  /// Adds what `write_hashes` wrote: whole turns only. @throws InputError naming file and line
  void add_hashes(const std::filesystem::path& file);

  bool has_turn_of(const PromptWords& words) const;
  /// Whether 13 consecutive words are in a measured prompt too.
  /// @param wording  records of its file with each run: a run in `most` or more is wording of the set
  bool shares_words_with(const PromptWords& words,
                         const std::unordered_map<std::uint64_t, std::int64_t>& wording,
                         double most) const;

  /// The turns' hashes, one a line, in ascending order.
  std::string hashes_text() const;

 private:
  std::set<std::string> turns_;
  std::unordered_set<std::uint64_t> runs_;
};

}  // namespace outrider::data
