#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "data/reader/made_by.h"
#include "data/reader/stores_once.h"
#include "data/store/context_length.h"
#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/replace_group.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/log.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/base/stopwatch.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/notices.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/time_limit.h"
#include "runtime/draft/stop/make_stop_policy.h"
#include "runtime/methods/calibrated_draft.h"
#include "runtime/methods/trained_disco.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/identity.h"
#include "train/commands/commands.h"
#include "train/commands/disco_report.h"
#include "train/commands/round_times.h"
#include "train/commands/stop_training_flags.h"
#include "train/commands/stop_training_work.h"

namespace outrider::train {
namespace {

constexpr const char* kDiscoExamples =
    "The stores need the draft model's scores (data traces --add-to), and this machine's pass "
    "times "
    "have\n"
    "to be known (calibrate cost). The threshold and the longest round are those that replaying "
    "the\n"
    "validation prompts predicts to be the fastest. Two classifiers are made for each temperature: "
    "DISCO as\n"
    "published (runtime decode --draft-stop disco), and the fastest of those that --label, "
    "--inputs "
    "and --rule\n"
    "leave (--draft-stop classifier). An interrupted run continues when the same command is given "
    "again.\n\n"
    "Examples:\n"
    "  data traces -m MODEL.gguf --add-to traces\n"
    "  train disco -m MODEL.gguf --data traces\n"
    "  train disco -m MODEL.gguf --data traces --test others --plot reliability.svg --json -\n"
    "  train disco -m MODEL.gguf --data code-traces --set code\n"
    "  train disco -m MODEL.gguf --data traces --cost-ratio 0.05 --artifacts other-hardware.h5\n";

struct DiscoOptions {
  std::string model;
  int context = 0;  // 0: that of the first traces
  std::vector<std::string> data, validation_data, test;
  std::string draft, artifacts;
  std::string set = artifacts::kAllTexts;
  double validation = 0.3;
  bool loops = false;
  StopTrainingFlags stops;
  std::optional<double> cost_ratio;
  FitOptions fit;
  cli::EngineFlags engine;
  std::string json, plot;
  double minutes = 0;  // that it may take before it is interrupted; 0: any
  bool quiet = false;
  std::string resolved;
};

/// What is tried at a temperature, in order: first DISCO as the paper has it.
struct Trainings {
  std::vector<StopTraining> published, others;

  Trainings(const StopTrainingFlags& flags, double temperature)
      : published(flags.published()), others(flags.trainings(temperature)) {}
  std::size_t size() const { return published.size() + others.size(); }
};

/// One call of `train disco`.
class DiscoCommand {
 public:
  explicit DiscoCommand(const DiscoOptions& options)
      : options_(options),
        model_(model::load_for_context(options.model, options.context,
                                       data::context_length(options.data))),
        engine_(cli::make_engine(model_, options.engine, options.context, options.quiet)),
        target_(model_, *engine_, 0, nullptr, cli::notices(options.quiet)),
        draft_path_(options.draft) {
    std::string known = artifacts_to_read();
    std::optional<int> threads;
    methods::find_draft(target_, draft_path_, known);
    calibrated_ = methods::find_calibrated_draft(target_, draft_path_, artifacts_to_read());
    if (calibrated_ && calibrated_->this_machine &&
        calibrated_->settings.draft_threads < engine_->workers())
      threads = calibrated_->settings.draft_threads;
    draft_ = methods::load_draft(target_, draft_path_, known, threads);
    hash_ = methods::draft_identity(draft_path_, *draft_->model);
  }

  void run() {
    for (const char* policy : kPolicies) claim(policy);
    const double share = options_.validation_data.empty() ? options_.validation : 0;
    StopTextsByTemperature texts, tests;
    read("--data", options_.data, share, texts);
    read("--validation-data", options_.validation_data, 1, texts);
    read("--test", options_.test, 1, tests);
    OutputFile json("--json", options_.json), plot("--plot", options_.plot);
    catch_interrupts();
    check_enough(texts);
    const RoundTimes times = options_.cost_ratio
                                 ? times_of_ratio(*options_.cost_ratio)
                                 : round_times(target_, artifacts_to_read(), calibrated_, draft_);
    work_.emplace(artifacts_.front(), options_.set, work_hash());
    const std::int64_t passes = passes_over(texts);
    announce(texts, passes, times);
    progress_.emplace("passes over the tokens", passes, options_.quiet, work_->epochs_done());
    for (const auto& [temperature, of_temperature] : texts)
      find(temperature, of_temperature, tests, times);
    progress_.reset();
    for (const char* policy : kPolicies) write(policy);
    work_->remove();
    json.write_all(disco_json(findings_));
    plot.write_all(disco_plot(findings_));
    if (!json.is_standard_output() && !plot.is_standard_output())
      write_output(disco_text(findings_, options_.cost_ratio ? "per pass" : "per second"));
    if (options_.quiet) return;
    for (const std::filesystem::path& one : artifacts_) print_log("written to {}\n", one.string());
  }

 private:
  static constexpr std::array kPolicies = {draft::kDiscoStop, draft::kClassifierStop};

  /// What is written of a policy.
  std::string group(const char* policy) const {
    const std::string group = artifacts::stop_group(policy, options_.set);
    if (options_.set.empty() ||
        (options_.set != artifacts::kAllTexts && !group.ends_with("/" + options_.set)))
      throw InputError(fmt::format(
          "--set: expected letters, digits, dots and single dashes, found '{}'", options_.set));
    return group;
  }

  /// Both groups go to one file where --artifacts names one.
  void claim(const char* policy) {
    const std::string of_policy = group(policy);
    if (!artifacts_.empty() && artifacts::file_to_write(options_.artifacts, target_.identity(),
                                                        of_policy) == artifacts_.front())
      return;
    artifacts_.push_back(
        artifacts::claim_file_to_write(options_.artifacts, target_.identity(), of_policy));
  }

  /// What is to be written need not be there yet.
  std::string artifacts_to_read() const {
    return artifacts::file_to_read(options_.artifacts, target_.identity());
  }

  /// @param share  of the prompts that are for validation
  void read(const std::string& flag, const std::vector<std::string>& folders, double share,
            StopTextsByTemperature& texts) {
    data::StoresOnce given(flag);
    for (const std::string& folder : folders) {
      const data::TraceStore store(folder);
      data::check_made_by(store, model_);
      given.add(store);
      read_stop_texts(store,
                      {.draft = hash_,
                       .rejection = options_.stops.verify == "rejection",
                       .loops = options_.loops,
                       .split = {options_.fit.seed, share, 0}},
                      texts);
      traces_.add_text(data::content_hash(store.manifest()));
    }
  }

  static void check_enough(const StopTextsByTemperature& texts) {
    for (const auto& [temperature, of_temperature] : texts)
      if (of_temperature.training.empty() || of_temperature.validation.empty())
        throw InputError(fmt::format(
            "--data: temperature {}: found {} traces to train on and {} for validation; expected "
            "some of both: give more traces, or another --validation",
            temperature, of_temperature.training.size(), of_temperature.validation.size()));
  }

  /// Of everything that training depends on.
  std::string work_hash() const {
    Hasher work;
    const StopTrainingFlags& stops = options_.stops;
    for (const std::string& text : {model::model_hash(model_), hash_, traces_.hex(), stops.label,
                                    stops.inputs, stops.rule, stops.verify})
      work.add_text(text);
    const FitOptions& fit = options_.fit;
    work.add_text(fmt::format("{} {} {} {} {} {} {}", fit.epochs, fit.batch, fit.learning_rate,
                              fit.seed, options_.loops, options_.validation,
                              options_.validation_data.size()));
    return work.hex();
  }

  /// Of all trainings.
  std::int64_t passes_over(const StopTextsByTemperature& texts) const {
    std::int64_t passes = 0;
    for (const auto& [temperature, of_temperature] : texts)
      passes += static_cast<std::int64_t>(Trainings(options_.stops, temperature).size()) *
                options_.fit.epochs;
    return passes;
  }

  /// Says how long it takes, as far as some of the texts tell.
  void announce(const StopTextsByTemperature& texts, std::int64_t passes, const RoundTimes& times) {
    if (options_.quiet) return;
    double fitting = 0, choosing = 0;
    std::int64_t tokens = 0, classifiers = 0;
    for (const auto& [temperature, all] : texts) {
      const Trainings trainings(options_.stops, temperature);
      const TrainingSeconds seconds =
          seconds_of_training(all, temperature, trainings.published.front(), options_.fit, times);
      const auto count = static_cast<std::int64_t>(trainings.size());
      fitting += static_cast<double>(count) * options_.fit.epochs * seconds.of_epoch;
      choosing += static_cast<double>(count) * seconds.of_choice;
      tokens += seconds.tokens;
      classifiers += count;
    }
    const std::int64_t left = passes - work_->epochs_done();
    cli::announce(
        "train disco",
        {{fmt::format("{} passes over {} tokens, of {} classifiers", left, tokens, classifiers),
          fitting * static_cast<double>(left) / static_cast<double>(passes)},
         {"lengths and thresholds tried on the validation prompts", choosing}},
        options_.minutes, false);
  }

  void find(double temperature, const StopTexts& texts, const StopTextsByTemperature& tests,
            const RoundTimes& times) {
    const Trainings trainings(options_.stops, temperature);
    find(temperature, trainings.published, true, texts, tests, times);
    find(temperature, trainings.others, false, texts, tests, times);
  }

  /// Tries trainings and chooses one. @param published  whether they are of DISCO as the paper has it
  void find(double temperature, const std::vector<StopTraining>& trainings, bool published,
            const StopTexts& texts, const StopTextsByTemperature& tests, const RoundTimes& times) {
    const std::string name = published ? draft::kDiscoStop : draft::kClassifierStop;
    std::vector<DiscoFinding> found;
    for (const StopTraining& training : trainings) {
      DiscoFinding one;
      one.published = published;
      const Stopwatch watch;
      one.stop = train_stop(texts, temperature, training, options_.fit, times,
                            work_->resumed(number_++, options_.fit.epochs,
                                           [&] { progress_->show(work_->epochs_done()); }));
      if (interrupted()) throw Interrupted();
      one.seconds = watch.seconds();
      const StopExamples examples = examples_of(texts.training, training);
      one.tokens = examples.size();
      one.training_loss = cross_entropy(one.stop.classifier, examples);
      one.loss = cross_entropy(one.stop.classifier, examples_of(texts.validation, training));
      one.validation = stop_rates(one.stop, name, texts.validation, times);
      if (const auto test = tests.find(temperature); test != tests.end())
        one.test = stop_rates(one.stop, name, test->second.validation, times);
      found.push_back(std::move(one));
    }
    const auto rate = [](const DiscoFinding& one) {
      return one.stop.settings.best_stopped().tokens_per_second;
    };
    std::max_element(found.begin(), found.end(), [&](const auto& one, const auto& other) {
      return rate(one) < rate(other);
    })->chosen = true;
    for (DiscoFinding& one : found) findings_.push_back(std::move(one));
  }

  void write(const char* policy) const {
    const std::string machine = options_.cost_ratio
                                    ? fmt::format("cost ratio {}", *options_.cost_ratio)
                                    : engine_->place().name;
    artifacts::TrainedDisco disco = {hash_, machine, {}};
    for (const DiscoFinding& found : findings_)
      if (found.chosen && policy_of(found) == policy) disco.by_temperature.push_back(found.stop);
    artifacts::replace_group(
        artifacts::file_to_write(options_.artifacts, target_.identity(), group(policy)),
        target_.identity(), group(policy),
        {"train disco", options_.resolved, options_.fit.seed, traces_.hex(), {}, {}},
        [&](hdf5::Writer& file, const std::string& name) {
          artifacts::write_disco(disco, file, name);
        });
  }

  const DiscoOptions& options_;
  model::Model model_;
  std::unique_ptr<engine::Engine> engine_;
  methods::MethodTarget target_;
  std::string draft_path_;
  std::optional<methods::CalibratedDraft> calibrated_;
  std::shared_ptr<const methods::LoadedDraft> draft_;
  std::string hash_;                              // of the draft model
  std::vector<std::filesystem::path> artifacts_;  // to be written
  Hasher traces_;
  std::optional<StopTrainingWork> work_;
  std::optional<cli::Progress> progress_;
  int number_ = 0;  // of the next training
  std::vector<DiscoFinding> findings_;
};

void declare_result_flags(cli::CommandOptions& command, DiscoOptions& options) {
  command
      .add_option(
          "--artifacts", options.artifacts,
          "Artifact file to write to; only this command's results in it change (default: a "
          "file of this command's own in checkpoints/, or in the folder that is named here)")
      .type_name("FILE");
  cli::declare_device_flag(command, options.engine);
  cli::declare_threads_flag(command, options.engine);
  cli::declare_numerics_flags(command, options.engine);
  cli::declare_isa_flag(command, options.engine);
  command.group("Output");
  command
      .add_option("--json", options.json,
                  "Write the results to this file; - is standard output, instead of the text")
      .type_name("FILE");
  command
      .add_option("--plot", options.plot,
                  "Also draw a reliability diagram of the probabilities, as SVG")
      .type_name("FILE");
  cli::declare_minutes_flag(command, options.minutes);
  command.add_flag("--quiet", options.quiet, "No figures on standard error");
}

}  // namespace

cli::Command add_disco(CLI::App& program) {
  auto options = std::make_shared<DiscoOptions>();
  cli::CommandOptions command(program, "disco",
                              "Train classifiers that stop a draft model: DISCO, and beyond it");
  cli::declare_model_flags(command, options->model, options->context);
  command
      .add_list("--data", options->data,
                "Folders of the model's traces, with scores of the draft model")
      .type_name("DIR")
      .required();
  command
      .add_list(
          "--validation-data", options->validation_data,
          "Other traces to calibrate and to choose the threshold on, instead of a share of --data")
      .type_name("DIR");
  command
      .add_list(
          "--test", options->test,
          "Other traces on which only to report what was chosen; none of their prompts should be "
          "in --data")
      .type_name("DIR");
  command
      .add_option("--set", options->set,
                  "What set of texts the traces are of, for runtime decode --disco-set")
      .type_name("NAME");
  command
      .add_option("--draft", options->draft,
                  "The draft model: a GGUF file, a Hugging Face folder or an artifact file "
                  "(default: the one of the artifacts)")
      .type_name("FILE");
  command
      .add_option("--validation", options->validation,
                  "Share of the prompts for calibrating and choosing the threshold")
      .check(cli::real_number(0, 0.9));
  command.refuse_unless(
      {"validation"}, [options] { return options->validation_data.empty(); },
      "not with --validation-data, which takes its place");
  command.add_flag("--loops", options->loops,
                   "Tokens in loops count too: for decoding that does not end in them");
  command
      .add_option(
          "--cost-ratio", options->cost_ratio,
          "Times of other hardware than this: a draft step takes this share of a pass, and a "
          "pass over any number of tokens as long as over one; needs --artifacts, since what "
          "is chosen is not for this machine")
      .check(cli::real_number(0, 100));
  command.refuse_unless(
      {"cost-ratio"}, [options] { return !options->artifacts.empty(); },
      "only with --artifacts FILE, since what is chosen for other hardware is not for this "
      "machine");
  command.group("Training");
  declare_stop_training_flags(command, options->stops);
  command.add_option("--epochs", options->fit.epochs, "Passes over the tokens")
      .check(cli::whole_number(1, 10000));
  command.add_option("--batch", options->fit.batch, "Tokens of a step")
      .check(cli::whole_number(1, 1 << 20));
  command
      .add_option("--learning-rate", options->fit.learning_rate,
                  "At first; it falls to 0 by a cosine")
      .check(cli::real_number(1e-9, 10));
  command
      .add_option("--seed", options->fit.seed,
                  "Seed of the division of prompts, of the first weights and of the order")
      .check(cli::whole_number(0, INT64_MAX));
  command.group("Result");
  declare_result_flags(command, *options);
  command.group("Options");
  command.footer(kDiscoExamples);
  return {command,
          [options] { cli::keep_to(options->minutes, [&] { DiscoCommand(*options).run(); }); },
          [options](const std::string& resolved) { options->resolved = resolved; }};
}

}  // namespace outrider::train
