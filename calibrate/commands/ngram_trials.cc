#include "calibrate/commands/ngram_trials.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/base/sheet.h"
#include "runtime/measure/line_chart.h"

namespace outrider::calibrate {
namespace {

constexpr std::size_t kShown = 8;  // tokens of a ranking

std::string row(const std::string& name, const Replay& replay) {
  return fmt::format("{:<10} {:<10} {:<10} {:<17.3f}", name, replay.drafted, replay.accepted,
                     replay.tokens_per_pass());
}

std::string quoted(Token token, const text::Tokenizer& tokenizer) {
  const std::string text = tokenizer.decode(std::span(&token, 1), true);
  return text == "\n" ? " '\\n'" : printable(fmt::format(" '{}'", text));
}

}  // namespace

std::string trials_text(const std::vector<UnigramTrial>& unigrams,
                        const std::vector<BigramTrial>& bigrams,
                        const artifacts::NgramTables& chosen, const text::Tokenizer& tokenizer) {
  std::string text = "unigrams   drafted    accepted   tokens per pass   the likeliest\n";
  for (const UnigramTrial& trial : unigrams) {
    text += row(name_of(trial.measure), trial.replay);
    for (std::size_t i = 0; i < std::min(kShown, trial.ranking.size()); ++i)
      text += quoted(trial.ranking[i], tokenizer);
    text += "\n";
  }
  text += fmt::format("chosen: {}\n\n", chosen.unigram_measure);
  text += "bigrams    drafted    accepted   tokens per pass\n";
  for (const BigramTrial& trial : bigrams) text += row(trial.context, trial.replay) + "\n";
  return text + fmt::format("chosen: {}\n\n", chosen.bigram_context);
}

std::string extension_text(const ExtensionTrial& trial) {
  return fmt::format("extended   drafted    accepted   tokens per pass   ({} drafts of {})\n",
                     trial.extension.rows, 1 + trial.extension.length) +
         row("bigram", trial.without) + "\n" + row("model", trial.with) + "\n\n";
}

std::string curves_text(const DraftCurves& curves) {
  std::string text = "tokens per pass, by drafts\n               ";
  for (const int drafts : curves.drafts) text += fmt::format(" {:<6}", drafts);
  for (const auto& [name, values] : curves.curves) {
    text += fmt::format("\n{:<15}", name);
    for (const double value : values) text += fmt::format(" {:<6.3f}", value);
  }
  return text + "\n\n";
}

std::string curves_plot(const DraftCurves& curves) {
  measure::LineChart chart{"tokens per pass", "drafts", {}, curves.curves};
  chart.x.assign(curves.drafts.begin(), curves.drafts.end());
  return measure::svg_of(std::vector<measure::LineChart>{chart});
}

void write_trials(const std::vector<UnigramTrial>& unigrams,
                  const std::vector<BigramTrial>& bigrams, artifacts::Hdf5Writer& file,
                  const std::string& group) {
  const std::string place = group + "/tokens_per_pass/";
  for (const UnigramTrial& trial : unigrams)
    file.add_number<double>(place + "unigram_" + name_of(trial.measure),
                            trial.replay.tokens_per_pass());
  for (const BigramTrial& trial : bigrams)
    file.add_number<double>(place + "bigram_" + trial.context, trial.replay.tokens_per_pass());
}

}  // namespace outrider::calibrate
