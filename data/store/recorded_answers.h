#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/store/store_identity.h"
#include "runtime/base/token.h"
#include "runtime/hdf5/reader.h"

namespace outrider::data {

inline constexpr const char* kAnswersFormat = "outrider answers";
inline constexpr int kAnswersVersion = 1;

/// What a target answered to a prompt.
struct PromptAnswers {
  std::string id;          // the prompt's
  std::uint64_t hash = 0;  // AskedHash in data/generate/answered_prompts.h
  std::vector<std::vector<std::vector<Token>>> samples;  // of each sample the answers to its turns
};

/// The answers of a store of traces as token ids, without what was asked: with the prompts they are all that the store
/// is made of again. data/README.md describes their file.
struct RecordedAnswers {
  StoreIdentity identity;  // the store's
  std::vector<PromptAnswers> prompts;
};

/// The number of samples of each prompt, in a store's identity.
/// @throws InputError if it has none that is one. @param name  of the store or file
int samples_of(const StoreIdentity& identity, const std::string& name);

/// The bytes of their file, before the checksum that it begins with.
std::vector<std::byte> encode_answers(const RecordedAnswers& answers);

/// @throws InputError naming the file for anything else than undamaged answers
RecordedAnswers read_answers(const std::filesystem::path& path);
RecordedAnswers read_answers(const hdf5::Reader& file);

}  // namespace outrider::data
