#include "calibrate/studies/grid_study.h"

#include <fmt/format.h>

#include <utility>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/studies/method_identity.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/inference/context_needed.h"
#include "runtime/methods/settings.h"

namespace outrider::calibrate {

GridStudy::GridStudy(inference::Target& target, const artifacts::Folders& folders,
                     const inference::GenerationOptions& options, const NewMethod& new_method,
                     const TriedGrid& tried, Watch& watch)
    : target_(target), options_(options), watch_(watch) {
  const engine::Engine& engine = target.engine();
  report_.tried = tried;
  report_.model = target.options().model;
  report_.machine = engine.place().name;
  report_.numerics = engine.numerics_name();
  report_.isa = engine.place().unit;
  report_.threads = engine.workers();
  report_.method = new_method()->name();
  report_.max_new = options.max_new;
  const methods::MethodTarget of_target(target.model(), target.engine(), folders,
                                        options.sampler.temperature, nullptr, watch.notices());
  for (const int drafts : tried.drafts)
    for (const int length : tried.draft_lengths) {
      report_.cells.push_back({.drafts = drafts, .draft_length = length});
      const auto method = new_method();
      methods::fill_in(*method, "drafts", drafts);
      methods::fill_in(*method, "draft-length", length);
      methods_.push_back(method->prepare(of_target));
    }
  identity_ =
      fmt::format("{} with {} drafts of {}", method_identity(*new_method(), target, folders),
                  fmt::join(tried.drafts, " "), fmt::join(tried.draft_lengths, " "));
}

const GridReport& GridStudy::run(const std::vector<text::PromptRecord>& prompts,
                                 data::Journal& journal) {
  report_.prompts = static_cast<int>(prompts.size());
  const std::int64_t texts = std::ssize(report_.cells) + 1;  // of a prompt
  const std::vector<study::TimedRound> kept =
      study::kept_rounds(journal, static_cast<std::size_t>(texts));
  watch_.listen();
  plan_prompts(
      watch_, journal.left_of(prompts), options_.max_new,
      fmt::format("texts decoded with {} settings each", report_.cells.size() + 1), 1,
      [&](const text::PromptRecord& prompt, int max_new) { measure(prompt, 0, max_new, [] {}); });
  std::int64_t done = texts * std::ssize(kept);
  watch_.begin("texts", texts * std::ssize(prompts), done);
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    study::TimedRound round;
    if (p < kept.size()) {
      round = kept[p];
    } else {
      round = measure(prompts[p], p, options_.max_new, [&] { watch_.show(++done); });
      round.start = study::next_start(kept);
      journal.append(entry_of(round));
    }
    report_.starts = round.start;
    count(round);
  }
  watch_.end();
  return report_;
}

/// @param first  the cell that comes first, counted on beyond the last
/// @return plain decoding, then the cells
study::TimedRound GridStudy::measure(const text::PromptRecord& prompt, std::size_t first,
                                     int max_new, const std::function<void()>& on_text) {
  study::TimedRound round = {1, std::vector<study::DecodeSums>(report_.cells.size() + 1)};
  const decode::DecodeResult plain = decode(prompt, max_new, nullptr);
  round.cells[0].add(plain);
  on_text();
  for (std::size_t i = 0; i < report_.cells.size(); ++i) {
    const std::size_t next = (first + i) % report_.cells.size();
    const GridCell& cell = report_.cells[next];
    const decode::DecodeResult drafted = decode(prompt, max_new, methods_[next].new_drafter());
    if (drafted.tokens != plain.tokens)
      throw CheckFailed(fmt::format("bench: prompt '{}': {} drafts of {} gave another text",
                                    prompt.id, cell.drafts, cell.draft_length));
    round.cells[next + 1].add(drafted);
    on_text();
  }
  return round;
}

decode::DecodeResult GridStudy::decode(const text::PromptRecord& prompt, int max_new,
                                       std::unique_ptr<draft::Drafter> drafter) {
  inference::GenerationOptions options = options_;
  options.max_new = max_new;
  inference::Generation generation(
      target_, options, inference::context_needed(target_, prompt, max_new), std::move(drafter));
  inference::GeneratedText text =
      generation.generate({prompt.id, prompt.task}, inference::first_turn(target_, prompt));
  if (watch_.interrupted()) throw Interrupted();
  return std::move(text.result);
}

void GridStudy::count(const study::TimedRound& round) {
  report_.plain.sums.add(round.cells[0]);
  for (std::size_t i = 0; i < report_.cells.size(); ++i)
    report_.cells[i].sums.add(round.cells[i + 1]);
}

}  // namespace outrider::calibrate
