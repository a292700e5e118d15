#include "train/run/train_disco.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "data/reader/made_by.h"
#include "data/reader/stores_once.h"
#include "data/store/context_length.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/trained_disco.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/identity.h"
#include "train/disco/round_prices.h"

namespace outrider::train {
namespace {

constexpr std::array kPolicies = {draft::kDiscoStop, draft::kClassifierStop};

/// What is tried at a temperature, in order: first DISCO as the paper has it.
struct Trainings {
  std::vector<StopTraining> published, others;

  Trainings(const StopChoice& choice, double temperature)
      : published(choice.published()), others(choice.trainings(temperature)) {}
  std::size_t size() const { return published.size() + others.size(); }
};

void check_enough(const StopTextsByTemperature& texts) {
  for (const auto& [temperature, of_temperature] : texts)
    if (of_temperature.training.empty() || of_temperature.validation.empty())
      throw InputError(fmt::format(
          "--data: temperature {}: found {} traces to train on and {} for validation; expected "
          "some of both: give more traces, or another --validation",
          temperature, of_temperature.training.size(), of_temperature.validation.size()));
}

engine::EngineOptions with_room(engine::EngineOptions options, int context) {
  options.cache_tokens = context;
  return options;
}

}  // namespace

std::string DiscoFinding::policy() const {
  return published ? draft::kDiscoStop : draft::kClassifierStop;
}

DiscoRun::DiscoRun(const DiscoTraining& training, Watch& watch)
    : training_(training),
      watch_(watch),
      model_(model::load_for_context(training.model, training.context,
                                     data::context_length(training.data))),
      engine_(engine::make_engine(model_, with_room(training.engine, training.context))),
      target_(model_, *engine_, training.folders, 0, nullptr, watch.notices()),
      draft_path_(training.draft) {
  std::string known = artifacts_to_read();
  std::optional<int> threads;
  methods::find_draft(target_, draft_path_, known);
  calibrated_ = methods::find_calibrated_trials(
      target_, methods::draft_model_to_find(target_, "ssd", draft_path_, artifacts_to_read(),
                                            training.draft_vocab));
  if (calibrated_) threads = calibrated_->draft_threads();
  draft_ = methods::load_draft(target_, draft_path_, known, threads, training.draft_vocab);
  hash_ = methods::draft_identity(draft_path_, *draft_->model);
  for (const char* policy : kPolicies) claim(policy);
  const double share = training.validation_data.empty() ? training.validation : 0;
  read("--data", training.data, share, texts_);
  read("--validation-data", training.validation_data, 1, texts_);
  read("--test", training.test, 1, tests_);
}

std::vector<DiscoFinding> DiscoRun::train() {
  watch_.listen();
  check_enough(texts_);
  const cost::TrialPrices prices =
      training_.cost_ratio ? prices_of_ratio(*training_.cost_ratio)
                           : round_prices(target_, artifacts_to_read(), calibrated_, draft_);
  context_ = prices.context;
  work_.emplace(artifacts_.front(), training_.set, work_hash(), watch_);
  plan(prices);
  watch_.begin("passes over the tokens", passes(), work_->epochs_done());
  for (const auto& [temperature, of_temperature] : texts_)
    find(temperature, of_temperature, prices);
  watch_.end();
  for (const char* policy : kPolicies) write(policy);
  work_->remove();
  return std::move(findings_);
}

/// What is written of a policy.
std::string DiscoRun::group(const char* policy) const {
  const std::string group = artifacts::stop_group(policy, training_.set);
  if (training_.set.empty() ||
      (training_.set != artifacts::kAllTexts && !group.ends_with("/" + training_.set)))
    throw InputError(fmt::format(
        "--set: expected letters, digits, dots and single dashes, found '{}'", training_.set));
  return group;
}

/// Both groups go to one file where --artifacts names one.
void DiscoRun::claim(const char* policy) {
  const std::string of_policy = group(policy);
  if (!artifacts_.empty() &&
      artifacts::file_to_write(training_.artifacts, training_.folders, target_.identity(),
                               of_policy) == artifacts_.front())
    return;
  artifacts_.push_back(artifacts::checked_file_to_write(training_.artifacts, training_.folders,
                                                        target_.identity(), of_policy));
}

/// What is to be written need not be there yet.
std::string DiscoRun::artifacts_to_read() const {
  return artifacts::file_to_read(training_.artifacts, target_.identity());
}

/// @param share  of the prompts that are for validation
void DiscoRun::read(const std::string& flag, const std::vector<std::string>& folders, double share,
                    StopTextsByTemperature& texts) {
  data::StoresOnce given(flag);
  for (const std::string& folder : folders) {
    const data::TraceStore store(folder);
    data::check_made_by(store, model_);
    given.add(store);
    read_stop_texts(store,
                    {.draft = hash_,
                     .rejection = training_.stops.verify == "rejection",
                     .loops = training_.loops,
                     .split = {training_.fit.seed, share, 0}},
                    texts);
    traces_.add_text(data::content_hash(store.manifest()));
  }
}

/// Of everything that training depends on.
std::string DiscoRun::work_hash() const {
  Hasher work;
  const StopChoice& stops = training_.stops;
  for (const std::string& text : {model::model_hash(model_), hash_, traces_.hex(), stops.label,
                                  stops.inputs, stops.rule, stops.verify})
    work.add_text(text);
  const FitOptions& fit = training_.fit;
  work.add_text(fmt::format("{} {} {} {} {} {} {}", fit.epochs, fit.batch, fit.learning_rate,
                            fit.seed, training_.loops, training_.validation,
                            training_.validation_data.size()));
  return work.hex();
}

/// Over the tokens, of all trainings.
std::int64_t DiscoRun::passes() const {
  std::int64_t passes = 0;
  for (const auto& [temperature, of_temperature] : texts_)
    passes += static_cast<std::int64_t>(Trainings(training_.stops, temperature).size()) *
              training_.fit.epochs;
  return passes;
}

/// Tells how long it takes, as far as some of the texts tell.
void DiscoRun::plan(const cost::TrialPrices& prices) {
  if (!watch_.is_heard()) return;
  double fitting = 0, choosing = 0;
  std::int64_t tokens = 0, classifiers = 0;
  for (const auto& [temperature, all] : texts_) {
    const Trainings trainings(training_.stops, temperature);
    const TrainingSeconds seconds =
        seconds_of_training(all, temperature, trainings.published.front(), training_.fit, prices);
    const auto count = static_cast<std::int64_t>(trainings.size());
    fitting += static_cast<double>(count) * training_.fit.epochs * seconds.of_epoch;
    choosing += static_cast<double>(count) * seconds.of_choice;
    tokens += seconds.tokens;
    classifiers += count;
  }
  const std::int64_t left = passes() - work_->epochs_done();
  watch_.plan(
      {{fmt::format("{} passes over {} tokens, of {} classifiers", left, tokens, classifiers),
        fitting * static_cast<double>(left) / static_cast<double>(passes())},
       {"lengths and thresholds tried on the validation prompts", choosing}});
}

void DiscoRun::find(double temperature, const StopTexts& texts, const cost::TrialPrices& prices) {
  const Trainings trainings(training_.stops, temperature);
  find(temperature, trainings.published, true, texts, prices);
  find(temperature, trainings.others, false, texts, prices);
}

/// Tries trainings and chooses one. @param published  whether they are of DISCO as the paper has it
void DiscoRun::find(double temperature, const std::vector<StopTraining>& trainings, bool published,
                    const StopTexts& texts, const cost::TrialPrices& prices) {
  std::vector<DiscoFinding> found;
  for (const StopTraining& training : trainings) {
    DiscoFinding one;
    one.published = published;
    const Stopwatch watch;
    one.stop = train_stop(texts, temperature, training, training_.fit, prices,
                          work_->resumed(number_++, training_.fit.epochs));
    if (watch_.interrupted()) throw Interrupted();
    one.seconds = watch.seconds();
    const StopExamples examples = examples_of(texts.training, training);
    one.tokens = examples.size();
    one.training_loss = cross_entropy(one.stop.classifier, examples);
    one.loss = cross_entropy(one.stop.classifier, examples_of(texts.validation, training));
    one.validation = stop_rates(one.stop, one.policy(), texts.validation, prices);
    if (const auto test = tests_.find(temperature); test != tests_.end())
      one.test = stop_rates(one.stop, one.policy(), test->second.validation, prices);
    found.push_back(std::move(one));
  }
  const auto rate = [](const DiscoFinding& one) {
    return one.stop.best(draft::kClassifierStop).tokens_per_second;
  };
  std::max_element(found.begin(), found.end(), [&](const auto& one, const auto& other) {
    return rate(one) < rate(other);
  })->chosen = true;
  for (DiscoFinding& one : found) findings_.push_back(std::move(one));
}

void DiscoRun::write(const char* policy) const {
  const std::string machine = training_.cost_ratio
                                  ? fmt::format("cost ratio {}", *training_.cost_ratio)
                                  : engine_->place().name;
  artifacts::TrainedDisco disco = {hash_, machine, context_, {}};
  for (const DiscoFinding& found : findings_)
    if (found.chosen && found.policy() == policy) disco.by_temperature.push_back(found.stop);
  artifacts::replace_group(artifacts::file_to_write(training_.artifacts, training_.folders,
                                                    target_.identity(), group(policy)),
                           target_.identity(), group(policy),
                           {.command = "train disco",
                            .options = training_.recipe,
                            .seed = training_.fit.seed,
                            .traces = traces_.hex(),
                            .place = engine_->place().text()},
                           [&](hdf5::Writer& file, const std::string& name) {
                             artifacts::write_disco(disco, file, name);
                           });
}

}  // namespace outrider::train
