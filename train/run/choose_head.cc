#include "train/run/choose_head.h"

#include <algorithm>

#include "train/draft/frequent_tokens.h"

namespace outrider::train {

std::vector<Token> choose_head(const TrainingRun& run, const std::vector<Token>* earlier,
                               int vocab_size) {
  const RunOptions& options = run.options();
  if (options.finish) return run.checkpoint().identity.at("objective").at("head_tokens");
  if (earlier != nullptr && !options.given.contains("vocab-size")) return *earlier;
  const model::Model& target = run.target();
  FrequentTokens frequent(target.config.vocab);
  run.for_each_training_trace([&](const data::Trace& trace) { frequent.add(trace); });
  return frequent.choose(std::min(vocab_size, target.config.vocab),
                         earlier ? *earlier : target.tokenizer.end_tokens);
}

}  // namespace outrider::train
