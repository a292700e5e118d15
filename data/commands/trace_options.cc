#include "data/commands/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/generate/byte_size.h"
#include "data/generate/recorded_recipe.h"
#include "data/store/manifest.h"
#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/numbers.h"
#include "runtime/base/output_path.h"
#include "runtime/base/work_share.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/engine/tap_request.h"

namespace outrider::data {
namespace {

constexpr double kMostTemperature = 100;

void read_temperatures(TraceOptions& options) {
  std::vector<double>& read = options.recipe.temperatures;
  read.clear();
  for (const std::string& text : options.temperatures) {
    const auto value = parse_real(text);
    if (!value || *value < 0 || *value > kMostTemperature) {
      throw InputError(fmt::format("--temperature: expected a number from 0 to {}, found '{}'",
                                   kMostTemperature, text));
    }
    read.push_back(*value);
  }
  if (read.empty()) read = {options.generation.sampler.temperature};
  const auto samples = static_cast<std::size_t>(options.samples);
  if (read.size() > samples) {
    throw InputError(fmt::format(
        "--temperature: found {} values, but --samples {} uses only the first {}; raise --samples",
        read.size(), samples, samples));
  }
}

void read_layers(TraceOptions& options) {
  std::vector<int>& read = options.recipe.layers;
  read.clear();
  for (const std::string& text : options.layers) {
    const auto number = parse_integer(text);
    if (text != "final" && (!number || *number < 0 || *number > INT16_MAX))
      throw InputError(
          fmt::format("--layers: expected the number of a layer or final, found '{}'", text));
    const int layer = text == "final" ? engine::kFinalNorm : static_cast<int>(*number);
    if (std::find(read.begin(), read.end(), layer) != read.end())
      throw InputError(fmt::format("--layers: {} is given twice", text));
    read.push_back(layer);
  }
  if (options.store == "features" && read.empty())
    throw InputError("--store features: expected --layers, such as --layers 30 final, found none");
  if (options.store != "features" && !read.empty())
    throw InputError("--layers: only with --store features");
}

/// Flags without effect when the answers are given.
void check_teacher(const TraceOptions& options) {
  if (options.teacher != "reference") return;
  const sampling::SamplerOptions& sampler = options.recipe.sampler;
  const sampling::SamplerOptions none;
  const bool samples =
      options.samples > 1 || !options.temperatures.empty() || sampler.top_k != none.top_k ||
      sampler.top_p != none.top_p || sampler.min_p != none.min_p || sampler.seed != none.seed ||
      sampler.repetition_penalty != none.repetition_penalty ||
      sampler.presence_penalty != none.presence_penalty ||
      sampler.frequency_penalty != none.frequency_penalty || !sampler.logit_bias.empty();
  if (samples)
    throw InputError(
        "--teacher reference: nothing is sampled when answers are given; leave --samples and the "
        "sampling flags out");
}

/// The settings that make answers, as given by flags.
void read_recipe(TraceOptions& options) {
  Recipe& recipe = options.recipe;
  const bool has_answers = options.teacher == "reference";
  if (!has_answers)
    take_own_sampling(options.generation, options.target.model, cli::notices(options.quiet));
  recipe.sampler = generation_options(options.generation).sampler;
  recipe.logit_bias = fmt::format("{}", fmt::join(options.generation.logit_bias, " "));
  recipe.max_new = options.generation.max_new;
  recipe.only_first_turns = options.turns == "first";
  recipe.samples = options.samples;
  read_temperatures(options);
  recipe.given_answers = has_answers;
  check_teacher(options);
}

/// The flags that --answers goes with; all else is as the answers were made.
constexpr std::array kWithAnswers = {"model", "prompts",  "format", "answers", "skip-changed",
                                     "out",   "keep-top", "store",  "layers",  "budget",
                                     "fit",   "shard",    "device", "threads", "isa",
                                     "batch", "json",     "quiet",  "config",  "prefill-chunk"};

/// Reads the answers that are given, and the settings that they were made with.
void read_given(TraceOptions& options) {
  for (const std::string& flag : options.given)
    if (std::find(kWithAnswers.begin(), kWithAnswers.end(), flag) == kWithAnswers.end())
      throw InputError(fmt::format(
          "--{}: not with --answers, which are read as they were made; leave it out", flag));
  options.recorded = read_answers(options.answers);
  const int top = options.recipe.top;
  options.recipe = recorded_recipe(options.recorded->identity);
  options.recipe.top = top;
}

}  // namespace

void resolve(TraceOptions& options) {
  if (options.prompts.empty()) throw InputError("--prompts is required, or --add-to");
  if (options.out.empty()) throw InputError("--out is required, or --add-to");
  if (!options.draft.empty()) throw InputError("--draft: only with --add-to");
  if (options.draft_vocab) throw InputError("--draft-vocab: only with --add-to");
  check_output_folder("--out", options.out);
  if (options.answers.empty() && options.skip_changed)
    throw InputError("--skip-changed: only with --answers");
  if (options.answers.empty())
    read_recipe(options);
  else
    read_given(options);
  options.recipe.prefill_chunk = options.generation.prefill_chunk;
  read_layers(options);
  options.most_bytes.reset();
  if (!options.budget.empty()) options.most_bytes = parse_bytes(options.budget, "--budget");
  if (options.fit && options.budget.empty()) throw InputError("--fit: only with --budget");
  read_share(options.shard, parts_of_store(options.out));  // before anything long
}

inference::TargetOptions target_of(const TraceOptions& options) {
  inference::TargetOptions target = target_options(options.target, options.quiet);
  if (!options.recorded) return target;
  const inference::TargetOptions recorded =
      recorded_target(options.recorded->identity, options.target.model);
  target.chat = recorded.chat;
  target.system = recorded.system;
  target.context = recorded.context;
  target.engine.numerics = recorded.engine.numerics;
  target.engine.quantise = recorded.engine.quantise;
  target.engine.kv = recorded.engine.kv;
  return target;
}

void take_share(const TraceOptions& options, const std::filesystem::path& folder, ShardPlan& plan) {
  const WorkShare share = read_share(options.shard, parts_of_store(folder));
  plan.part = share.part;
  plan.parts = share.parts;
  if (const std::string text = share_text(options.shard, share); !text.empty() && !options.quiet)
    print_log("{}\n", text);
}

}  // namespace outrider::data
