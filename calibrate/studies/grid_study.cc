#include "calibrate/studies/grid_study.h"

#include <fmt/core.h>

#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/inference/context_needed.h"
#include "runtime/methods/settings.h"

namespace outrider::calibrate {

GridStudy::GridStudy(inference::Target& target, const inference::GenerationOptions& options,
                     const NewMethod& new_method, GridReport& report, Watch& watch)
    : target_(target), options_(options), report_(report), watch_(watch) {
  const engine::Engine& engine = target.engine();
  report.machine = engine.place().name;
  report.numerics = engine.numerics_name();
  report.isa = engine.place().unit;
  report.threads = engine.workers();
  report.max_new = options.max_new;
  const methods::MethodTarget of_target(target.model(), target.engine(),
                                        options.sampler.temperature, nullptr, watch.notices());
  for (const int drafts : report.drafts)
    for (const int length : report.draft_lengths) {
      report.cells.push_back({.drafts = drafts, .draft_length = length});
      const auto method = new_method();
      methods::fill_in(*method, "drafts", drafts);
      methods::fill_in(*method, "draft-length", length);
      methods_.push_back(method->prepare(of_target));
    }
}

void GridStudy::run(const std::vector<text::PromptRecord>& prompts) {
  report_.prompts = static_cast<int>(prompts.size());
  watch_.listen();
  watch_.begin("texts", std::ssize(prompts) * (std::ssize(report_.cells) + 1));
  std::int64_t done = 0;
  for (std::size_t p = 0; p < prompts.size(); ++p) {
    const auto plain = decode(prompts[p], report_.plain, nullptr);
    watch_.show(++done);
    // Each round starts with another cell.
    for (std::size_t i = 0; i < report_.cells.size(); ++i) {
      const std::size_t next = (p + i) % report_.cells.size();
      GridCell& cell = report_.cells[next];
      if (decode(prompts[p], cell, methods_[next].new_drafter()) != plain)
        throw CheckFailed(fmt::format("bench: prompt '{}': {} drafts of {} gave another text",
                                      prompts[p].id, cell.drafts, cell.draft_length));
      watch_.show(++done);
    }
  }
  watch_.end();
}

std::vector<Token> GridStudy::decode(const text::PromptRecord& prompt, GridCell& cell,
                                     std::unique_ptr<draft::Drafter> drafter) {
  inference::Generation generation(target_, options_,
                                   inference::context_needed(target_, prompt, options_.max_new),
                                   std::move(drafter));
  const inference::GeneratedText text =
      generation.generate({prompt.id, prompt.task}, inference::first_turn(target_, prompt));
  if (watch_.interrupted()) throw Interrupted();
  cell.sums.add(text.result);
  return text.result.tokens;
}

}  // namespace outrider::calibrate
