#include <stdexcept>
#include <utility>

#include "runtime/sampling/chooser.h"
#include "runtime/sampling/cpu_chooser.h"
#include "runtime/sampling/elsewhere_chooser.h"

namespace outrider::sampling {
namespace {

std::unique_ptr<Chooser> chooser_of(engine::Engine& engine, HeadVocabulary vocabulary,
                                    std::optional<int> top, bool ahead) {
  auto on_host = std::make_unique<CpuChooser>(vocabulary, engine.score_kernels(), top, &engine);
  const engine::RowReaderOptions options = {.top = top.value_or(0),
                                            .width = static_cast<int>(vocabulary.size()),
                                            .tokens = vocabulary.head_tokens()};
  auto reader = engine.make_row_reader(options);
  if (reader == nullptr) return on_host;
  auto ahead_reader = ahead ? engine.make_ahead_reader(options) : nullptr;
  return std::make_unique<ElsewhereChooser>(std::move(vocabulary), std::move(reader),
                                            std::move(on_host), top.has_value(),
                                            std::move(ahead_reader));
}

}  // namespace

void Chooser::answer_ahead(const DraftAhead& /*ahead*/, const SequenceSampling& /*sampling*/,
                           std::span<const DraftQuestion> /*questions*/,
                           std::span<DraftAnswer> /*answers*/) {
  throw std::logic_error("Chooser: nothing is drafted ahead");
}

std::unique_ptr<Chooser> make_chooser(engine::Engine& engine, std::optional<int> top) {
  return chooser_of(engine, HeadVocabulary(engine.num_logits()), top, false);
}

std::unique_ptr<Chooser> make_draft_chooser(engine::Engine& engine, HeadVocabulary vocabulary,
                                            int top, bool ahead) {
  return chooser_of(engine, std::move(vocabulary), top, ahead);
}

}  // namespace outrider::sampling
