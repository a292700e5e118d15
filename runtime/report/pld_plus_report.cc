#include "runtime/report/pld_plus_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "runtime/draft/copy/draft_lengths.h"
#include "runtime/report/sheet.h"

namespace outrider::report {
namespace {

/// A number with a bar in proportion to `among`.
std::string bar_line(const std::string& name, double value, std::span<const double> among) {
  const auto [low, high] = std::minmax_element(among.begin(), among.end());
  const double share = *high > *low ? (value - *low) / (*high - *low) : 1;
  return fmt::format("{:<7} {:.3f} {}\n", name, value,
                     std::string(static_cast<std::size_t>(1 + 40 * share), '#'));
}

std::string curve_text(int first, std::span<const double> values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += bar_line(fmt::format("{}", first + static_cast<int>(i)), values[i], values);
  return text;
}

std::string heading(const draft::PldPlusTemperature& at) {
  return fmt::format("answers at temperature {}\n", at.temperature);
}

/// "2 3 4-5 6-": the matches of each class.
std::string match_heading(const std::vector<std::int32_t>& bounds) {
  std::string text;
  int first = 1;
  for (const std::int32_t bound : bounds) {
    const bool one = bound == first + 1;
    text += fmt::format("  {:<5}",
                        one ? std::to_string(first) : fmt::format("{}-{}", first, bound - 1));
    first = bound;
  }
  return text + fmt::format("  {}-", first);
}

/// Counts per task and overall, with the heads of most hits.
std::string tasks_text(const draft::PldPlusHeads& found) {
  std::string text = fmt::format("{:<15} {:<10} {:<10} {}\n", "copied tokens", "ranked by",
                                 "tried on", "heads with the most hits");
  const auto line = [&](const std::string& name, std::int64_t ranked, std::int64_t tried,
                        const std::vector<double>& shares) {
    text += fmt::format("{:<15} {:<10} {:<10}", printable(name), ranked, tried);
    std::vector<int> best = draft::ranked_by_hits(shares);
    best.resize(std::min(std::size_t{5}, best.size()));
    for (const int i : best)
      text += fmt::format(" {}:{} {:.1f} % ", i / found.heads + 1, i % found.heads,
                          100 * shares[static_cast<std::size_t>(i)]);
    text.back() = '\n';
  };
  const std::size_t tasks = found.tasks.size();
  std::int64_t ranked = 0, tried = 0;
  for (std::size_t task = 0; task < tasks; ++task) {
    line(found.tasks[task], found.tokens[task], found.tokens[tasks + task],
         draft::hit_shares(found, task));
    ranked += found.tokens[task];
    tried += found.tokens[tasks + task];
  }
  line("all", ranked, tried, draft::hit_shares(found));
  return text;
}

/// @param values  [names, 2] with the largest attention and with the sum
std::string sweep_text(const std::string& what, const std::vector<std::int32_t>& names,
                       std::span<const double> values) {
  std::string text = fmt::format("{:<12}  {:<7} {}\n", what, "max", "sum");
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{:<12}  {:<7.3f} {:.3f}\n", names[i], values[2 * i], values[2 * i + 1]);
  return text;
}

/// @param values  [weights]
std::string weights_text(const std::vector<double>& weights, std::span<const double> values) {
  std::string text = "weight  tokens per pass\n";
  for (std::size_t i = 0; i < weights.size(); ++i)
    text += bar_line(fmt::format("{}", weights[i]), values[i], values);
  return text;
}

/// Per-step draft lengths and their results.
std::string by_step_text(const draft::PldPlusLengths& lengths) {
  const draft::DraftLengths chosen(lengths, lengths.seconds, lengths.otherwise);
  std::string text = fmt::format(
      "draft length per step by score (down) and matching tokens, at the pass costs of {}\n"
      "         {}",
      printable(lengths.machine), match_heading(lengths.match_bounds));
  const std::size_t columns = lengths.match_bounds.size() + 1;
  for (std::size_t i = 0; i < lengths.classes(); ++i) {
    const std::size_t row = i / columns;
    if (i % columns == 0)
      text += row == 0
                  ? fmt::format("\n{:<9}", "below")
                  : fmt::format("\n{:<9}", fmt::format("{:.3g}", lengths.score_bounds[row - 1]));
    text += fmt::format("  {:<5}", chosen.by_class()[i]);
  }
  return text + fmt::format(
                    "\non held-out prompts: {:.1f} tokens per second predicted, {:.1f} with the "
                    "best fixed length ({:+.1f} %)\n\n",
                    lengths.tokens_per_second, lengths.fixed_tokens_per_second,
                    100 * (lengths.tokens_per_second / lengths.fixed_tokens_per_second - 1));
}

}  // namespace

std::string pld_plus_heads_text(const draft::PldPlusHeads& found) {
  std::string text =
      tasks_text(found) + "\nhits in percent of copied tokens, layers down, heads across\n       ";
  const std::vector<double> shares = draft::hit_shares(found);
  for (int head = 0; head < found.heads; ++head) text += fmt::format(" {:>5}", head);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const int index = static_cast<int>(i);
    if (index % found.heads == 0) text += fmt::format("\n{:<7}", index / found.heads + 1);
    text += fmt::format(" {:>5.1f}", 100 * shares[i]);
  }
  const int compared = draft::heads_compared(found);
  text += fmt::format(
      "\n{} of the {} heads with the most hits are the same in both halves of the prompts, {:.1f} "
      "by chance\n",
      draft::heads_in_common(found, compared), compared,
      static_cast<double>(compared) * compared / (found.layers * found.heads));
  text += fmt::format("\ntokens per pass by number of heads, drafts of {}\n", found.draft_length);
  text += sweep_text("heads", found.sweep_heads, found.sweep);
  text += fmt::format("chosen: {} heads, {}\n\n", found.chosen, found.aggregation);
  std::vector<std::int32_t> layers(static_cast<std::size_t>(found.layers));
  std::iota(layers.begin(), layers.end(), 1);
  text += sweep_text("all of layer", layers, found.layer_sweep) + "\n";
  const std::size_t numbers = found.sweep.size();
  for (std::size_t i = 0; i < found.temperatures.size(); ++i) {
    text += heading(found.temperatures[i]) +
            sweep_text("heads", found.sweep_heads,
                       std::span(found.sweep_at).subspan(i * numbers, numbers)) +
            "\n";
    if (const auto& lengths = found.temperatures[i].by_step) text += by_step_text(*lengths);
  }
  return text;
}

std::string pld_plus_layer_text(const draft::PldPlusLayer& found) {
  std::string text = "layer   tokens per pass\n" + curve_text(0, found.by_layer);
  text += fmt::format("chosen: layer {}\n\n", found.chosen);
  text += fmt::format(
      "states averaged over the last m positions, layer {}\nm       tokens per pass\n{}\n",
      found.chosen, curve_text(1, found.by_mean));
  text += fmt::format("weights of logits added to the cosine of layer {}\n{}chosen: weight {}\n\n",
                      found.chosen, weights_text(found.logit_weights, found.by_logit_weight),
                      found.logit_weight);
  const std::size_t layers = found.by_layer.size();
  for (std::size_t i = 0; i < found.temperatures.size(); ++i) {
    text += heading(found.temperatures[i]) + "layer   tokens per pass\n" +
            curve_text(0, std::span(found.by_layer_at).subspan(i * layers, layers));
    const std::size_t weights = found.logit_weights.size();
    text += weights_text(found.logit_weights,
                         std::span(found.by_logit_weight_at).subspan(i * weights, weights)) +
            "\n";
    if (const auto& lengths = found.temperatures[i].by_step) text += by_step_text(*lengths);
  }
  return text;
}

}  // namespace outrider::report
