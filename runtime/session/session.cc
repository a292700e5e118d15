#include "runtime/session/session.h"

#include "runtime/sampling/sampler_options.h"

namespace outrider::session {
namespace {

/// The options, checked before passes are timed.
const inference::GenerationOptions& checked(const SessionOptions& options,
                                            const inference::Target& target) {
  sampling::check(options.generation.sampler, target.model().config.vocab);
  if (options.check) options.check(target);
  return options.generation;
}

}  // namespace

Session::Session(const SessionOptions& options)
    : target_(options.target),
      generation_(checked(options, target_)),
      for_methods_(target_.model(), target_.engine(), generation_.sampler.temperature,
                   options.quick_costs, options.notices),
      method_(options.method.prepare(for_methods_)) {}

methods::PreparedMethod Session::prepare(const methods::Method& method, double temperature) const {
  return method.prepare(for_methods_.at(temperature));
}

}  // namespace outrider::session
