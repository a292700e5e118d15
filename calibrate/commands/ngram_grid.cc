#include "calibrate/commands/ngram_grid.h"

#include <fmt/core.h>

#include <map>
#include <utility>

#include "calibrate/cost/pass_costs.h"
#include "calibrate/ngrams/grid_search.h"
#include "runtime/artifacts/ngrammys.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"

namespace outrider::calibrate {
namespace {

std::string grid_text(const cost::DraftGrid& grid, const std::string& origin) {
  std::string text = fmt::format(
      "temperature {}: tokens per second predicted from {} (and tokens per pass), by drafts (down) "
      "and their length\n"
      "      ",
      *grid.temperature, origin);
  for (const int length : grid.draft_lengths) text += fmt::format("  {:<10}", length);
  const std::size_t columns = grid.draft_lengths.size();
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const auto cell = grid.cell(i);
    if (i % columns == 0) text += fmt::format("\n{:<6}", cell.drafts);
    text += fmt::format(
        "  {:<10}", fmt::format("{:.0f} ({:.2f})", cell.tokens_per_second, cell.tokens_per_pass));
  }
  return text + fmt::format("\nthe fastest: {}\n", describe_fastest(grid));
}

std::map<double, std::vector<Answer>> by_temperature(const std::vector<Answer>& answers) {
  std::map<double, std::vector<Answer>> found;
  for (const Answer& answer : answers) found[answer.temperature()].push_back(answer);
  return found;
}

}  // namespace

std::string calibrate_grid(inference::Target& target, const AnswerOptions& options,
                           const Answers& answers, const draft::TablesPtr& tables,
                           const ResultOptions& result) {
  const auto identity = artifacts::identity_of(target.model());
  const int context = usual_context(target.engine(), answers.all);
  const int most_rows = 1 + grid_drafts(tables->top).back() * grid_draft_lengths().back();
  const PassCosts costs =
      pass_costs(target.engine(), known_artifacts(result, identity), most_rows, context);
  const auto of_temperatures = by_temperature(answers.all);
  const std::size_t cells = grid_drafts(tables->top).size() * grid_draft_lengths().size();
  cli::Progress progress("settings replayed",
                         static_cast<std::int64_t>(cells * of_temperatures.size()), options.quiet);
  std::vector<cost::DraftGrid> grids;
  std::string text;
  for (const auto& [temperature, answered] : of_temperatures) {
    cost::DraftGrid grid = search_grid(
        answered, tables,
        [&](int drafts, int rows) {
          const cost::Shape shape = drafts > 1 ? cost::Shape::kTree : cost::Shape::kChain;
          return costs.model.seconds({shape, rows, context});
        },
        [&](int done) {
          progress.show(static_cast<std::int64_t>(grids.size() * cells) + done);
          return !interrupted();
        });
    grid.temperature = temperature;
    grid.threads = target.engine().workers();
    grid.context = context;
    text += grid_text(grid, costs.origin);
    grids.push_back(std::move(grid));
  }
  write_result(result, identity, artifacts::ngrammys_grid_group(target.engine().place().name),
               "calibrate ngrams", answers.seed, answers.identity,
               [&](hdf5::Writer& file, const std::string& group) {
                 artifacts::write_ngrammys_grids(grids, file, group);
               });
  return text;
}

}  // namespace outrider::calibrate
