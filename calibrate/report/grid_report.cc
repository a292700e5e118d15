#include "calibrate/report/grid_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/study/timed_round.h"
#include "runtime/base/json_text.h"
#include "runtime/report/heat_map.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

Json cell_json(const GridCell& cell, const GridReport& report) {
  return {{"drafts", cell.drafts},
          {"draft_length", cell.draft_length},
          {"tokens", cell.sums.tokens},
          {"passes", cell.sums.passes},
          {"drafted", cell.sums.drafted},
          {"accepted", cell.sums.accepted},
          {"seconds", cell.sums.seconds},
          {"tokens_per_call", cell.sums.tokens_per_call()},
          {"tokens_per_second", cell.sums.tokens_per_second()},
          {"speed_up", report.speed_up(cell)}};
}

std::string fastest_text(const GridReport& report) {
  const GridCell& best =
      *std::max_element(report.cells.begin(), report.cells.end(), [](const auto& a, const auto& b) {
        return a.sums.tokens_per_second() < b.sums.tokens_per_second();
      });
  const bool drafts_are_faster =
      best.sums.tokens_per_second() > report.plain.sums.tokens_per_second();
  return fmt::format(
      "{}: --drafts {} --draft-length {}, {:.2f} times as fast as plain decoding\n",
      drafts_are_faster ? "the fastest" : "plain decoding is faster; the fastest drafts",
      best.drafts, best.draft_length, report.speed_up(best));
}

}  // namespace

std::string study_text(const GridReport& report) {
  std::string text = fmt::format(
      "{} on {} prompts, {} threads, {}\nplain decoding: {:.1f} tokens/s\n"
      "tokens/s (and tokens per call) by drafts (down) and their length\n      ",
      report.method, report.prompts, report.threads, report.machine,
      report.plain.sums.tokens_per_second());
  for (const int length : report.tried.draft_lengths) text += fmt::format("  {:<13}", length);
  for (std::size_t i = 0; i < report.cells.size(); ++i) {
    const GridCell& cell = report.cells[i];
    if (i % report.tried.draft_lengths.size() == 0) text += fmt::format("\n{:<6}", cell.drafts);
    text += fmt::format("  {:<13}", fmt::format("{:.1f} ({:.2f})", cell.sums.tokens_per_second(),
                                                cell.sums.tokens_per_call()));
  }
  return text + "\n" + study::starts_text(report.starts) + fastest_text(report);
}

std::string study_json(const GridReport& report) {
  Json cells = Json::array();
  for (const GridCell& cell : report.cells) cells.push_back(cell_json(cell, report));
  const Json all = {{"model", report.model},
                    {"machine", report.machine},
                    {"threads", report.threads},
                    {"numerics", report.numerics},
                    {"isa", report.isa},
                    {"method", report.method},
                    {"prompts", report.prompts},
                    {"max_new", report.max_new},
                    {"starts", report.starts},
                    {"plain", cell_json(report.plain, report)},
                    {"cells", cells}};
  // A name from a file may be invalid UTF-8.
  return json_text(all, 2) + "\n";
}

std::string study_plot(const GridReport& report) {
  report::HeatMap map;
  map.title = fmt::format("{} with k drafts of w tokens, {} prompts, {} threads, {}", report.method,
                          report.prompts, report.threads, report.machine);
  map.row_name = "k";
  map.column_name = "w";
  map.rows = report.tried.drafts;
  map.columns = report.tried.draft_lengths;
  map.panels = {"tokens per call", "speed-up over plain decoding"};
  map.decimals = 2;
  map.value = [&report](std::size_t panel, int k, int w) {
    const auto cell = std::find_if(report.cells.begin(), report.cells.end(), [&](const auto& one) {
      return one.drafts == k && one.draft_length == w;
    });
    return panel == 0 ? cell->sums.tokens_per_call() : report.speed_up(*cell);
  };
  return svg_of(drawn(map));
}

}  // namespace outrider::calibrate
