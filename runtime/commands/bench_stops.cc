#include "runtime/commands/bench_stops.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/progress.h"
#include "runtime/commands/stop_evaluation.h"
#include "runtime/commands/stop_study.h"
#include "runtime/cost/agreed_rounds.h"
#include "runtime/draft/model/draft_along.h"
#include "runtime/draft/model/draft_vocabulary.h"
#include "runtime/draft/model/token_probability.h"
#include "runtime/engine/machine.h"
#include "runtime/inference/context_needed.h"
#include "runtime/inference/dialogue.h"
#include "runtime/inference/generation.h"
#include "runtime/methods/ssd.h"

namespace outrider {
namespace {

/// A policy as it is measured.
struct StudiedPolicy {
  std::string name;
  methods::ResolvedSsd ssd;
  std::optional<StopEvaluation> evaluation;  // but of the oracle, which is always right
};

/// The settings that flags give, for each policy of the study.
class StudiedPolicies {
 public:
  StudiedPolicies(const GridFlags& flags, const methods::MethodTarget& target) : target_(target) {
    const auto chosen = flags.method.chosen({});
    given_ = dynamic_cast<const methods::Ssd&>(*chosen).settings;
    add("static-5", "static", 5);
    add("static-opt", "static");
    add("heuristic", "heuristic");
    add("confidence", "confidence");
    add("path", "path");
    add("disco", "disco");
    if (given_.verify == "coupled") add("oracle", "oracle");
  }

  std::vector<StudiedPolicy> policies;

 private:
  void add(const std::string& name, const std::string& stop, std::optional<int> length = {}) {
    methods::Ssd ssd;
    ssd.settings = given_;
    ssd.settings.stop = stop;
    ssd.settings.draft_length = length;
    StudiedPolicy policy = {name, ssd.resolve(target_), {}};
    if (stop != "oracle")
      policy.evaluation.emplace(
          draft::make_stop_policy(policy.ssd.stop, policy.ssd.draft->engine->score_kernels()),
          policy.ssd.options.longest);
    policies.push_back(std::move(policy));
  }

  const methods::MethodTarget& target_;
  methods::SsdSettings given_;
};

std::string settings_text(const methods::SsdSettings& settings) {
  std::string text = fmt::format("--draft-length {}", *settings.draft_length);
  if (settings.stop == "confidence" || settings.stop == "path" || settings.stop == "disco")
    text += fmt::format(" --draft-threshold {:.2f}", *settings.threshold);
  return text;
}

/// One call of bench_stops.
class StudyRun {
 public:
  StudyRun(inference::Target& target, const inference::GenerationOptions& options,
           std::vector<StudiedPolicy> policies, StopStudy& study)
      : target_(target),
        options_(options),
        policies_(std::move(policies)),
        study_(study),
        draft_(*policies_.front().ssd.draft->engine),
        vocabulary_(policies_.front().ssd.options.head_tokens, draft_.config().vocab,
                    target.model().config.vocab),
        choice_(vocabulary_.choice()),
        probability_(static_cast<int>(vocabulary_.size()), draft_.score_kernels()) {
    study.cells.push_back({.name = "target", .settings = "plain decoding"});
    for (const StudiedPolicy& policy : policies_)
      study.cells.push_back({.name = policy.name, .settings = settings_text(policy.ssd.settings)});
  }

  void run(const std::vector<text::PromptRecord>& prompts) {
    cli::Progress progress("texts", std::ssize(prompts) * std::ssize(study_.cells));
    std::int64_t done = 0;
    for (std::size_t p = 0; p < prompts.size(); ++p) {
      const inference::GeneratedText plain = decode(prompts[p], study_.cells[0], nullptr);
      progress.show(++done);
      // Each round starts with another policy.
      for (std::size_t i = 0; i < policies_.size(); ++i) {
        const std::size_t next = (p + i) % policies_.size();
        const StudiedPolicy& policy = policies_[next];
        const inference::GeneratedText text =
            decode(prompts[p], study_.cells[next + 1], policy.ssd.new_drafter());
        const bool is_plain =
            policy.ssd.settings.verify == "coupled" || options_.sampler.temperature == 0;
        if (is_plain && text.result.tokens != plain.result.tokens)
          throw CheckFailed(
              fmt::format("bench: prompt '{}': {} gave another text", prompts[p].id, policy.name));
        progress.show(++done);
      }
      evaluate(plain);
    }
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!policies_[i].evaluation) continue;
      study_.cells[i + 1].confusion = policies_[i].evaluation->confusion();
      if (policies_[i].evaluation->has_auc())
        study_.cells[i + 1].auc = policies_[i].evaluation->auc();
    }
  }

 private:
  inference::GeneratedText decode(const text::PromptRecord& prompt, StopCell& cell,
                                  std::unique_ptr<draft::Drafter> drafter) {
    inference::Generation generation(target_, options_,
                                     inference::context_needed(target_, prompt, options_.max_new),
                                     std::move(drafter));
    inference::GeneratedText text = generation.generate(
        {prompt.id, prompt.task}, inference::Dialogue(target_).ask(prompt.turns[0]));
    if (interrupted()) throw Interrupted();
    cell.add(text.result);
    return text;
  }

  /// What the policies predict along a text, from its second token on: the prefill gives the first.
  void evaluate(const inference::GeneratedText& plain) {
    for (StudiedPolicy& policy : policies_)
      if (policy.evaluation) policy.evaluation->start();
    const std::size_t prompt = plain.prompt_tokens.size();
    std::vector<Token> text = plain.prompt_tokens;
    text.insert(text.end(), plain.result.tokens.begin(), plain.result.tokens.end());
    const sampling::SamplerOptions& sampler = options_.sampler;
    const sampling::TokenCounts counts(sampler.uses_counts() ? std::span(plain.prompt_tokens)
                                                             : std::span<const Token>());
    const std::uint64_t seed = sampling::sequence_seed(sampler.seed, plain.name.prompt,
                                                       plain.name.turn, plain.name.sample);
    std::vector<std::uint8_t> accepted;  // of the tokens after the first
    draft::draft_along(
        draft_, choice_, vocabulary_.size(), text, static_cast<int>(prompt),
        {sampler, seed, counts},
        [&](std::size_t position, sampling::ChosenToken drawn, std::span<const float> logits) {
          if (position == prompt) return;
          const bool agrees = drawn.token == text[position];
          const draft::DraftedToken token = {
              0, probability_.log_of(logits, vocabulary_.row_of(drawn.token)),
              static_cast<std::int64_t>(position - prompt), drawn.lead, logits};
          for (StudiedPolicy& policy : policies_)
            if (policy.evaluation) policy.evaluation->add(token, agrees);
          study_.always.add(true, agrees);
          accepted.push_back(agrees);
        });
    const auto is_accepted = [&](std::size_t begin, std::size_t drafted) {
      return begin + drafted < accepted.size() && accepted[begin + drafted] != 0;
    };
    std::vector<int> lengths;
    for (const cost::AgreedRound& round : cost::agreed_rounds(accepted.size(), is_accepted))
      lengths.push_back(static_cast<int>(round.accepted));
    study_.oracle.add(lengths);
  }

  inference::Target& target_;
  const inference::GenerationOptions& options_;
  std::vector<StudiedPolicy> policies_;
  StopStudy& study_;
  engine::Engine& draft_;
  draft::DraftVocabulary vocabulary_;
  sampling::TokenChoice choice_;
  draft::TokenProbability probability_;
};

}  // namespace

void bench_stops(const cli::TargetFlags& target_flags, const GridFlags& flags,
                 const std::string& json_path) {
  const inference::GenerationOptions options = generation_options(flags.generation);
  const std::vector<text::PromptRecord> prompts = read_prompts(flags.prompts);
  inference::Target target(target_options(target_flags, false));
  for (const text::PromptRecord& prompt : prompts) inference::check_fits(target, prompt);
  const methods::MethodTarget of_target(target.model(), target.engine(),
                                        options.sampler.temperature);
  std::vector<StudiedPolicy> policies = StudiedPolicies(flags, of_target).policies;
  StopStudy study;
  study.model = target_flags.model;
  study.draft = policies.front().ssd.settings.draft;
  study.verify = policies.front().ssd.settings.verify;
  study.machine = engine::machine_name();
  study.numerics = target.engine().numerics_name();
  study.isa = target.engine().isa_name();
  study.threads = target.engine().threads();
  study.prompts = static_cast<int>(prompts.size());
  study.max_new = options.max_new;
  study.temperature = options.sampler.temperature;
  StudyRun run(target, options, std::move(policies), study);
  OutputFile json("--json", json_path), plot("--plot", flags.plot);
  catch_interrupts();
  run.run(prompts);
  json.write_all(study_json(study));
  plot.write_all(study_plot(study));
  if (!json.is_standard_output() && !plot.is_standard_output()) write_output(study_text(study));
}

}  // namespace outrider
