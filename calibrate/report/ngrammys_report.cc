#include "calibrate/report/ngrammys_report.h"

#include <fmt/core.h>

#include <algorithm>

#include "calibrate/report/study_trials_text.h"
#include "runtime/report/line_chart.h"
#include "runtime/report/sheet.h"

namespace outrider::calibrate {
namespace {

constexpr std::size_t kShown = 8;  // tokens of a ranking

std::string row(const std::string& name, const Replay& replay) {
  return fmt::format("{:<10} {:<10} {:<10} {:<17.3f}", name, replay.drafted, replay.accepted,
                     replay.tokens_per_pass());
}

std::string quoted(Token token, const text::Tokenizer& tokenizer) {
  const std::string text = tokenizer.decode(std::span(&token, 1), true);
  return text == "\n" ? " '\\n'" : report::printable(fmt::format(" '{}'", text));
}

/// A chart of figure 4 with a line for each source. @param first  the x of the first share
report::LineChart use_chart(const DraftUses& uses, const std::string& by, int first,
                            std::vector<double> SourceUse::*shares) {
  report::LineChart chart;
  chart.title = fmt::format("ngrammys, {} drafts of {} tokens", uses.drafts, uses.draft_length);
  chart.x_name = by;
  chart.y_name = "percent of passes";
  for (const SourceUse& source : uses.sources) {
    std::vector<double> percents;
    for (const double share : source.*shares) percents.push_back(100 * share);
    chart.lines.emplace_back(source.name, std::move(percents));
  }
  for (std::size_t i = 0; i < chart.lines.front().second.size(); ++i)
    chart.x.push_back(first + static_cast<double>(i));
  return chart;
}

std::vector<report::LineChart> charts_of(const DraftUses& uses) {
  return {use_chart(uses, "tokens kept of a draft", 1, &SourceUse::by_length),
          use_chart(uses, "rank of the draft kept, within its source", 1, &SourceUse::by_rank),
          use_chart(uses, "drafts of the source in a pass", 0, &SourceUse::by_drafts)};
}

/// The results of each table and the chosen one.
std::string tables_text(const std::vector<UnigramTrial>& unigrams,
                        const std::vector<BigramTrial>& bigrams, const draft::NgramTables& chosen,
                        const text::Tokenizer& tokenizer) {
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

/// The results of the model's own continuation.
std::string extension_text(const ExtensionTrial& trial) {
  return fmt::format("extended   drafted    accepted   tokens per pass   ({} drafts of {})\n",
                     trial.extension.rows, 1 + trial.extension.length) +
         row("bigram", trial.without) + "\n" + row("model", trial.with) + "\n\n";
}

/// Tokens per pass against the number of drafts.
std::string curves_text(const DraftCurves& curves) {
  std::string text = "tokens per pass, by drafts\n               ";
  for (const int drafts : curves.drafts) text += fmt::format(" {:<6}", drafts);
  for (const auto& [name, values] : curves.curves) {
    text += fmt::format("\n{:<15}", name);
    for (const double value : values) text += fmt::format(" {:<6.3f}", value);
  }
  return text + "\n\n";
}

/// The use of each source's drafts.
std::string uses_text(const DraftUses& uses) {
  std::string text;
  for (const report::LineChart& chart : charts_of(uses)) {
    text +=
        fmt::format("{} of {}, by {}\n               ", chart.y_name, chart.title, chart.x_name);
    for (const double x : chart.x) text += fmt::format(" {:<6}", x);
    for (const auto& [source, percents] : chart.lines) {
      text += fmt::format("\n{:<15}", source);
      for (const double percent : percents) text += fmt::format(" {:<6.1f}", percent);
    }
    text += "\n\n";
  }
  return text;
}

}  // namespace

std::string found_ngrammys_text(const FoundNgrammys& found, const inference::Target& target) {
  std::string text = tables_text(found.unigrams, found.bigrams, *found.tables, target.tokenizer());
  if (found.extension) text += extension_text(*found.extension);
  text += curves_text(found.figures.curves) + uses_text(found.figures.uses);
  return text + study_trials_text(found.shapes, target.engine().place().name);
}

std::string plot_of(const NgrammysFigures& figures) {
  const DraftCurves& curves = figures.curves;
  report::LineChart chart{"by method", "drafts of a pass", "tokens per pass", {}, curves.curves};
  chart.x.assign(curves.drafts.begin(), curves.drafts.end());
  std::vector<report::Drawing> charts = {report::drawn(chart)};
  for (const report::LineChart& use : charts_of(figures.uses)) charts.push_back(report::drawn(use));
  return report::svg_of(report::beside(charts));
}

}  // namespace outrider::calibrate
