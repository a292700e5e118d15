#include "data/prompts/measured_prompts.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <sstream>

#include "data/prompts/lower_words.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/text_file.h"

namespace outrider::data {
namespace {

constexpr std::size_t kLeastWords = 5;  // of a turn
constexpr std::size_t kRunWords = 13;
constexpr std::size_t kHashDigits = 32;
constexpr std::size_t kMostHashBytes = std::size_t{1} << 30;

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

bool is_hash(const std::string& line) {
  return line.size() == kHashDigits &&
         line.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

PromptWords::PromptWords(const text::PromptRecord& record) {
  for (const std::string& turn : record.turns) {
    const std::vector<std::string> words = lower_words(turn);
    if (words.size() >= kLeastWords) {
      const std::string text = joined(words);
      turn_hashes.push_back(hash_hex(std::as_bytes(std::span(text))));
    }
    for (std::size_t i = 0; i + kRunWords <= words.size(); ++i) {
      Hasher hasher;
      for (const std::string& word : std::span(words).subspan(i, kRunWords)) hasher.add_text(word);
      runs.insert(hasher.low());
    }
  }
}

void MeasuredPrompts::add(const text::PromptRecord& record) {
  PromptWords words(record);
  turns_.insert(words.turn_hashes.begin(), words.turn_hashes.end());
  runs_.merge(words.runs);
}

void MeasuredPrompts::add_hashes(const std::filesystem::path& file) {
  std::istringstream lines(read_text_file(file, kMostHashBytes));
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!is_hash(line))
      throw InputError(fmt::format("{}:{}: expected a hash of {} hexadecimal digits, found '{}'",
                                   input_name(file), number, kHashDigits,
                                   line.substr(0, 2 * kHashDigits)));
    turns_.insert(line);
  }
  if (number == 0)
    throw InputError(
        fmt::format("{}: expected hashes of measured prompts, one a line, found none; `data "
                    "prompts --write-hashes` makes them",
                    input_name(file)));
}

bool MeasuredPrompts::has_turn_of(const PromptWords& words) const {
  return std::any_of(words.turn_hashes.begin(), words.turn_hashes.end(),
                     [&](const std::string& hash) { return turns_.count(hash) != 0; });
}

bool MeasuredPrompts::shares_words_with(
    const PromptWords& words, const std::unordered_map<std::uint64_t, std::int64_t>& wording,
    double most) const {
  return std::any_of(words.runs.begin(), words.runs.end(), [&](std::uint64_t run) {
    return runs_.count(run) != 0 && static_cast<double>(wording.at(run)) < most;
  });
}

std::string MeasuredPrompts::hashes_text() const {
  std::string text;
  for (const std::string& hash : turns_) text += hash + "\n";
  return text;
}

}  // namespace outrider::data
