#include "train/disco/stop_texts.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/score/draft_scores_group.h"
#include "runtime/base/error.h"
#include "runtime/draft/stop/text_match.h"
#include "runtime/sampling/distribution.h"

namespace outrider::train {
namespace {

using draft::RowFeatures;
using draft::StopClassifier;

/// The group with the scores of a draft model.
data::TraceGroup scores_of(const data::TraceStore& store, const std::string& draft) {
  std::string others;
  for (const std::string& name : data::group_names(store)) {
    data::TraceGroup group(store, name);
    const std::string hash = data::draft_of(group.spec());
    if (hash.empty()) continue;
    if (hash != draft) {
      others += (others.empty() ? "" : ", ") + hash;
      continue;
    }
    if (const std::size_t missing = group.missing().size(); missing > 0)
      throw InputError(fmt::format(
          "{}: group {}: {} of {} files are missing; finish it with the command that started it",
          store.folder().string(), name, missing, store.shards().size()));
    return group;
  }
  throw InputError(fmt::format(
      "{}: {}, expected those of the draft model {}; `data traces --add-to {} --draft DRAFT` adds "
      "them",
      store.folder().string(),
      others.empty() ? "has no scores of a draft model" : "has scores of the draft model " + others,
      draft, store.folder().string()));
}

/// Whether rejection keeps the token that is drafted at a position, by noise that the text does not depend on.
bool is_kept(const data::Trace& trace, std::size_t output, int draw, float probability) {
  const auto position = static_cast<std::int64_t>(trace.prompt_tokens.size() + output);
  return sampling::uniform(trace.sequence_seed, position, RandomUse::kAccept, draw) <
         static_cast<double>(probability);
}

}  // namespace

StopText stop_text(const data::DraftScores& scores, std::size_t first, const data::Trace& trace,
                   const StopReading& reading, int draw) {
  StopText text;
  const std::size_t prompt = trace.prompt_tokens.size();
  std::vector<Token> tokens = trace.prompt_tokens;
  tokens.insert(tokens.end(), trace.output_tokens.begin(), trace.output_tokens.end());
  for (std::size_t i = 1; i < trace.output_tokens.size(); ++i) {
    const std::size_t at = first + i;
    RowFeatures row;
    std::copy_n(scores.top.begin() + static_cast<std::ptrdiff_t>(at) * RowFeatures::kTop,
                RowFeatures::kTop, row.top.begin());
    row.entropy = scores.entropies[at];
    // What is drawn without the target's noise has no lead (draft::ModelDrafter).
    const float lead = reading.rejection && trace.temperature > 0 ? 0 : scores.leads[at];
    const int match = draft::text_match(std::span(tokens).first(prompt + i), scores.choices[at]);
    text.inputs.push_back(StopClassifier::inputs_of(
        row, {static_cast<std::int64_t>(i), scores.log_q[at], lead, match}, kPositionScale));
    text.counted.push_back((reading.loops || trace.in_loop[i] == 0) && scores.choices[at] >= 0);
    const float probable = reading.rejection ? scores.kept[at] : scores.coupled[at];
    text.probable.push_back(probable);
    text.overlap.push_back(1 - scores.distances[at]);
    text.accepted.push_back(reading.rejection ? is_kept(trace, i, draw, probable)
                                              : scores.choices[at] == trace.output_tokens[i]);
    text.log_q.push_back(scores.log_q[at]);
  }
  return text;
}

void read_stop_texts(const data::TraceStore& store, const StopReading& reading,
                     StopTextsByTemperature& texts) {
  const data::TraceGroup group = scores_of(store, reading.draft);
  for (const int shard : store.shards()) {
    const data::ShardReader reader = store.open(shard);
    const data::DraftScores scores = data::read_draft_scores(group, shard);
    std::size_t first = 0;
    for (std::size_t i = 0; i < reader.size(); ++i) {
      const data::Trace trace = reader.columns().trace(i, store.identity().top_k);
      StopTexts& of_temperature = texts[trace.temperature];
      const bool trains = data::subset_of(trace.id, reading.split) == data::Subset::kTrain;
      const int draws = reading.rejection && trace.temperature > 0 && !trains ? kDrawnTexts : 1;
      for (int draw = 0; draw < draws; ++draw)
        (trains ? of_temperature.training : of_temperature.validation)
            .push_back(stop_text(scores, first, trace, reading, draw));
      first += trace.output_tokens.size();
    }
  }
}

}  // namespace outrider::train
