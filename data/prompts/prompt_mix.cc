#include "data/prompts/prompt_mix.h"

#include <algorithm>
#include <utility>

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
    } else if (second ? options_.first_half.count(stem) != 0
                      : options_.second_half.count(stem) != 0) {
      ++counts.other_half;
    } else {
      ++counts.kept;
      kept_.push_back(records[i]);
    }
  }
  return counts;
}

std::vector<text::PromptRecord> PromptMix::in_order() const {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < kept_.size(); ++i)
    order.emplace_back(low_hash(options_.seed + 1, kept_[i].id), i);
  std::sort(order.begin(), order.end());
  std::vector<text::PromptRecord> records;
  for (const auto& [hash, i] : order) records.push_back(kept_[i]);
  return records;
}

}  // namespace outrider::data
