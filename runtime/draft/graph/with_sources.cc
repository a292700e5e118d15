#include "runtime/draft/graph/with_sources.h"

#include <stdexcept>
#include <utility>

namespace outrider::draft {
namespace {

std::vector<std::unique_ptr<Drafter>> all(std::vector<std::unique_ptr<Drafter>> sources,
                                          std::unique_ptr<Drafter> model) {
  for (const std::unique_ptr<Drafter>& source : sources)
    if (source->wants_rejected())
      throw std::logic_error("WithSources: expected drafters of the text alone");
  sources.push_back(std::move(model));
  return sources;
}

}  // namespace

WithSources::WithSources(std::vector<std::unique_ptr<Drafter>> sources,
                         std::unique_ptr<Drafter> model)
    : ComposedDrafter(all(std::move(sources), std::move(model))) {}

}  // namespace outrider::draft
