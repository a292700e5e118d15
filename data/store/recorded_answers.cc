#include "data/store/recorded_answers.h"

#include <fmt/core.h>

#include "data/store/ragged.h"
#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/hdf5/checksum.h"

namespace outrider::data {
namespace {

constexpr std::size_t kMostText = 1 << 24;

/// Checks the format and version. @return the identity
StoreIdentity read_identity(const hdf5::Reader& file) {
  if (!file.has("/format"))
    file.refuse("/format", fmt::format("expected '{}', found none", kAnswersFormat));
  if (const std::string found = file.read_text("/format", kMostText); found != kAnswersFormat)
    file.refuse("/format", fmt::format("expected '{}', found '{}'", kAnswersFormat, found));
  if (const auto found = file.read_number<std::int32_t>("/version"); found != kAnswersVersion)
    file.refuse("/version",
                fmt::format("this program reads version {}, found {}", kAnswersVersion, found));
  StoreIdentity identity = parse_identity(file.read_text("/identity", kMostText), file.name());
  identity.model_name = file.read_text("/model", kMostText);
  identity.logits_hash = file.read_text("/logits_hash", kMostText);
  return identity;
}

/// The numbers of answered turns, [prompts, samples], each at least one.
std::vector<std::int32_t> read_turns(const hdf5::Reader& file, std::size_t prompts, int samples) {
  auto turns =
      file.read<std::int32_t>("/answer/turns", {prompts, static_cast<std::uint64_t>(samples)});
  for (const std::int32_t number : turns)
    if (number < 1)
      file.refuse("/answer/turns", fmt::format("expected numbers of at least 1, found {}", number));
  return turns;
}

}  // namespace

int samples_of(const StoreIdentity& identity, const std::string& name) {
  constexpr std::int64_t kMostSamples = 1'000'000;
  const std::string* const text = find_option(identity, "samples");
  const auto number = text == nullptr ? std::nullopt : parse_integer(*text);
  if (number && *number >= 1 && *number <= kMostSamples) return static_cast<int>(*number);
  throw InputError(fmt::format(
      "{}: expected traces of data traces, whose identity has --samples from 1 to {}, found {}",
      name, kMostSamples, text == nullptr ? "none" : "'" + *text + "'"));
}

std::vector<std::byte> encode_answers(const RecordedAnswers& answers) {
  Ragged<std::uint8_t> ids;
  std::vector<std::uint64_t> hashes;
  std::vector<std::int32_t> turns;
  Ragged<Token> tokens;
  for (const PromptAnswers& prompt : answers.prompts) {
    ids.push(prompt.id);
    hashes.push_back(prompt.hash);
    for (const auto& sample : prompt.samples) {
      turns.push_back(static_cast<std::int32_t>(sample.size()));
      for (const std::vector<Token>& answer : sample) tokens.push(answer);
    }
  }
  hdf5::Writer file;
  file.add_text("/format", kAnswersFormat);
  file.add_number<std::int32_t>("/version", kAnswersVersion);
  file.add_text("/identity", identity_text(answers.identity));
  file.add_text("/model", answers.identity.model_name);
  file.add_text("/logits_hash", answers.identity.logits_hash);
  write_texts(file, "/prompt/id", ids);
  write_packed(file, "/prompt/hash", hashes);
  const int samples = samples_of(answers.identity, "the store");
  write_packed(file, "/answer/turns", turns, static_cast<std::uint64_t>(samples));
  write_token_lists(file, "/answer", tokens, answers.identity);
  return file.finish();
}

RecordedAnswers read_answers(const std::filesystem::path& path) {
  try {
    if (hdf5::looks_like_hdf5(path) && !hdf5::has_checksum(path))
      throw InputError(path.string() +
                       ": expected answers, which begin with a checksum, found a file without");
    return read_answers(hdf5::Reader(path));
  } catch (const InputError& error) {
    throw InputError(error.what() + std::string("; data export --to answers writes such a file"));
  }
}

RecordedAnswers read_answers(const hdf5::Reader& file) {
  RecordedAnswers answers{read_identity(file), {}};
  const auto hashes = file.read<std::uint64_t>("/prompt/hash", {hdf5::Reader::kAny});
  const Ragged<std::uint8_t> ids = read_texts(file, "/prompt/id", hashes.size());
  const int samples = samples_of(answers.identity, file.name());
  const std::vector<std::int32_t> turns = read_turns(file, hashes.size(), samples);
  std::size_t all = 0;
  for (const std::int32_t number : turns) all += static_cast<std::size_t>(number);
  const Ragged<Token> tokens = read_token_lists(file, "/answer", all, answers.identity);
  auto number = turns.begin();
  for (std::size_t i = 0, next = 0; i < hashes.size(); ++i) {
    PromptAnswers& prompt =
        answers.prompts.emplace_back(PromptAnswers{{ids[i].begin(), ids[i].end()}, hashes[i], {}});
    for (int sample = 0; sample < samples; ++sample) {
      auto& conversation = prompt.samples.emplace_back();
      for (std::int32_t turn = *number++; turn > 0; --turn, ++next)
        conversation.emplace_back(tokens[next].begin(), tokens[next].end());
    }
  }
  return answers;
}

}  // namespace outrider::data
