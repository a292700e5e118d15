#include "runtime/session/session.h"

#include "runtime/sampling/sampler_options.h"

namespace outrider::session {
namespace {

/// The options, checked before passes are timed.
inference::GenerationOptions checked(const SessionOptions& options, grammar::Grammars& grammars,
                                     const inference::Target& target) {
  sampling::check(options.generation.sampler, target.model().config.vocab);
  if (options.check) options.check(target);
  inference::GenerationOptions generation = options.generation;
  if (options.format.kind != grammar::AnswerFormat::Kind::kText)
    generation.new_constraint = grammars.compile(options.format);
  return generation;
}

}  // namespace

Session::Session(const SessionOptions& options)
    : target_(options.target),
      grammars_(target_.tokenizer(), target_.end_tokens(), target_.model().config.vocab),
      generation_(checked(options, grammars_, target_)),
      for_methods_(methods::MethodTarget(target_.model(), target_.engine(), options.folders,
                                         generation_.sampler.temperature, options.quick_costs,
                                         options.notices)
                       .together(options.sequences)),
      method_(options.method.prepare(for_methods_)) {}

methods::PreparedMethod Session::prepare(const methods::Method& method, double temperature) const {
  return method.prepare(for_methods_.at(temperature));
}

}  // namespace outrider::session
