#include "data/prompts/prompt_mix.h"

#include <algorithm>
#include <utility>

#include "data/prompts/lower_words.h"
#include "runtime/base/hash.h"

namespace outrider::data {
namespace {

// A run of words in so many records of a file, or in that share of them, is the file's own wording.
constexpr double kLeastRecords = 3;
constexpr double kWordingShare = 0.005;

std::uint64_t low_hash(std::uint64_t seed, const std::string& id) {
  Hasher hasher;
  hasher.add_number(seed);
  hasher.add_text(id);
  return hasher.low();
}

/// A prompt with other words in place of its first paragraph, or before it where it is the only one.
text::PromptRecord second_prompt(text::PromptRecord record, const std::string& words) {
  std::string& text = record.turns.front();
  const std::size_t paragraph = text.find("\n\n");
  text = words + (paragraph == std::string::npos ? text : text.substr(paragraph + 2));
  record.id += '/';
  for (const std::string& word : lower_words(words)) record.id += word;
  return record;
}

std::vector<text::PromptRecord> in_order_of(const std::vector<text::PromptRecord>& records,
                                            std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < records.size(); ++i)
    order.emplace_back(low_hash(seed, records[i].id), i);
  std::sort(order.begin(), order.end());
  std::vector<text::PromptRecord> ordered;
  for (const auto& [hash, i] : order) ordered.push_back(records[i]);
  return ordered;
}

}  // namespace

PromptCounts PromptMix::add(const std::string& stem,
                            const std::vector<text::PromptRecord>& records) {
  std::vector<PromptWords> words;
  std::unordered_map<std::uint64_t, std::int64_t> wording;
  for (const text::PromptRecord& record : records) {
    words.emplace_back(record);
    for (const std::uint64_t run : words.back().runs) ++wording[run];
  }
  const double most = std::max(kLeastRecords, kWordingShare * static_cast<double>(records.size()));
  const auto own = options_.hold_out_of.find(stem);
  const double hold_out = own == options_.hold_out_of.end() ? options_.hold_out : own->second;
  const auto again = options_.second_prompts.find(stem);
  PromptCounts counts;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string& id = records[i].id;
    const bool second = (low_hash(options_.seed + 2, id) & 1) != 0;
    if (measured_.has_turn_of(words[i])) {
      ++counts.measured;
    } else if (measured_.shares_words_with(words[i], wording, most)) {
      ++counts.shared;
    } else if (static_cast<double>(low_hash(options_.seed, id) >> 11) * 0x1p-53 < hold_out) {
      ++counts.held_out;
      held_out_.push_back(records[i]);
    } else if (second ? options_.first_half.count(stem) != 0
                      : options_.second_half.count(stem) != 0) {
      ++counts.other_half;
    } else {
      ++counts.kept;
      kept_.push_back(records[i]);
      if (again != options_.second_prompts.end()) {
        ++counts.kept;
        kept_.push_back(second_prompt(records[i], again->second));
      }
    }
  }
  return counts;
}

std::vector<text::PromptRecord> PromptMix::in_order() const {
  return in_order_of(kept_, options_.seed + 1);
}

std::vector<text::PromptRecord> PromptMix::held_out_in_order() const {
  return in_order_of(held_out_, options_.seed + 1);
}

}  // namespace outrider::data
