#include "calibrate/studies/policy_study.h"

#include <fmt/core.h>

#include <utility>

#include "calibrate/answers/work_ahead.h"
#include "calibrate/studies/method_identity.h"

namespace outrider::calibrate {

PolicyStudy::PolicyStudy(inference::Target& target, const artifacts::Folders& folders,
                         const inference::GenerationOptions& options, methods::Ssd given,
                         int rounds, Watch& watch)
    : watch_(watch),
      of_target_(target.model(), target.engine(), folders, options.sampler.temperature, nullptr,
                 watch.notices()),
      identity_(fmt::format("{} rounds, {}", rounds, method_identity(given, target, folders))) {
  StopPolicies policies = stop_policies(given, of_target_);
  const methods::ResolvedSsd& first = policies.first;
  const engine::Engine& engine = target.engine();
  found_.model = target.options().model;
  found_.draft = first.settings.draft;
  found_.verify = first.settings.verify;
  found_.machine = engine.place().name;
  found_.numerics = engine.numerics_name();
  found_.isa = engine.place().unit;
  found_.threads = engine.workers();
  found_.rounds = rounds;
  found_.max_new = options.max_new;
  found_.temperature = options.sampler.temperature;
  run_.emplace(target, options, std::move(policies.policies), *first.draft->engine,
               first.options.head_tokens, found_);
}

const study::StopStudy& PolicyStudy::run(const std::vector<text::PromptRecord>& prompts,
                                         data::Journal& journal) {
  found_.prompts = static_cast<int>(prompts.size());
  watch_.listen();
  plan_prompts(watch_, journal.left_of(prompts), found_.max_new,
               fmt::format("texts decoded with {} policies each, {} times", found_.cells.size(),
                           found_.rounds),
               found_.rounds, [&](const text::PromptRecord& prompt, int max_new) {
                 run_->decode_sample(prompt, max_new);
               });
  run_->run(prompts, journal, watch_);
  return found_;
}

}  // namespace outrider::calibrate
