#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "data/prompts/measured_prompts.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// How prompt files are mixed into one to train on.
struct PromptMixOptions {
  std::uint64_t seed = 20;  // of the held-out prompts; the next of the order, and of the halves
  double hold_out = 0;      // share of every file
  std::map<std::string, double> hold_out_of = {};           // by a file's name without its ending
  std::set<std::string> first_half = {}, second_half = {};  // files of which one half is taken
  // Words by a file's name: each of its prompts is there a second time, with these words in place of the
  // first paragraph of its first turn.
  std::map<std::string, std::string> second_prompts = {};
};

/// How many of one file's prompts were used, and why the others were not.
struct PromptCounts {
  std::int64_t measured = 0;  // a turn is measured on
  std::int64_t shared = 0;    // 13 words are
  std::int64_t held_out = 0;
  std::int64_t other_half = 0;
  std::int64_t kept = 0;  // second prompts as well
};

/// Chooses prompts to train on, by their ids and words only, so that what is chosen of one file does not
/// depend on the others.
class PromptMix {
 public:
  PromptMix(PromptMixOptions options, const MeasuredPrompts& measured)
      : options_(std::move(options)), measured_(measured) {}

  /// Adds a file's prompts. @param stem  its name without ending
  PromptCounts add(const std::string& stem, const std::vector<text::PromptRecord>& records);

  /// All that were kept, in the order of a hash of their ids: any beginning is a fair mix.
  std::vector<text::PromptRecord> in_order() const;
  /// All that were held out, in the same order.
  std::vector<text::PromptRecord> held_out_in_order() const;

 private:
  PromptMixOptions options_;
  const MeasuredPrompts& measured_;
  std::vector<text::PromptRecord> kept_, held_out_;
};

}  // namespace outrider::data
