#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/answers/answer.h"
#include "calibrate/answers/journal.h"
#include "runtime/inference/target.h"
#include "runtime/sampling/sampler_options.h"

namespace outrider::calibrate {

/// Answers and what they are known by.
struct Answers {
  std::vector<Answer> all;
  std::string identity;         // of the traces
  std::uint64_t seed = 0;       // theirs
  std::optional<Journal> made;  // keeps those that were made here, until the result is written
};

/// How answers are made.
struct MakingOptions {
  std::filesystem::path prompts;  // JSON lines
  /// Of each prompt, the first at temperature 0, the others at 1; 0: as many as it takes.
  int samples = 0;
  sampling::SamplerOptions sampler = {};  // but for the temperature
  int max_new = 256;
  int prefill_chunk = 64;
};

/// Whether there are answers enough to find out what a command wants to know.
using Enough = std::function<bool(const std::vector<Answer>& answers)>;
/// Told how many of some conversations have ended: first that none has, then after each.
using OnProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Has the target answer the prompts, conversation by conversation; each is kept beside the artifact
/// file as soon as it has ended, so that a run that was broken off goes on after it.
/// @param part    names the file that keeps them, as in `journal_of`
/// @param enough  asked after every round; without a number of samples there are rounds until it is
/// @throws Interrupted
Answers make_answers(inference::Target& target, const MakingOptions& options,
                     const std::filesystem::path& artifact, const std::string& part,
                     const Enough& enough, const OnProgress& on_progress);

}  // namespace outrider::calibrate
