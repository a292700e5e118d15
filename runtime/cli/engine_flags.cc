#include "runtime/cli/engine_flags.h"

#include <fmt/core.h>

#include <optional>

#include "runtime/base/stopwatch.h"
#include "runtime/cli/command_line.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/read_files.h"
#include "runtime/engine/engine_names.h"

namespace outrider::cli {
namespace {

constexpr std::int64_t kMegabyte = 1000 * 1000;
constexpr double kSecondsUnseen = 1;

/// Shows how far a long step of loading is, once it has taken a while.
/// @param what  "MB of weights read"
std::function<void(std::int64_t, std::int64_t)> shown_step(const char* what, bool quiet) {
  struct Step {
    Stopwatch time;
    std::optional<Progress> progress;
  };
  const auto step = std::make_shared<std::optional<Step>>();
  return [=](std::int64_t done, std::int64_t total) {
    if (!*step) step->emplace();
    std::optional<Progress>& progress = (*step)->progress;
    if (!progress && (*step)->time.seconds() >= kSecondsUnseen)
      progress.emplace(what, total / kMegabyte, quiet, done / kMegabyte);
    if (progress) progress->show(done / kMegabyte);
    if (done == total) step->reset();  // ends the line
  };
}

}  // namespace

void declare_model_flag(CommandOptions& command, std::string& model) {
  command.add_option("-m,--model", model, "GGUF file or Hugging Face folder on disk")
      .type_name("FILE")
      .reads(model_at)
      .required();
}

void declare_context_flag(CommandOptions& command, int& context, const std::string& without) {
  command.add_option("-c,--ctx", context, fmt::format("Context in tokens; 0: {}", without))
      .check(whole_number(0, kMostTokens))
      .rare();
}

void declare_model_flags(CommandOptions& command, std::string& model, int& context) {
  declare_model_flag(command, model);
  declare_context_flag(command, context, "that of traces that are read, else the model's");
}

void declare_numerics_flags(CommandOptions& command, EngineFlags& flags) {
  command
      .add_option("--numerics", flags.numerics,
                  "f32, int8, bf16, or auto: int8 for quantised files, bf16 for two-byte ones")
      .check(one_of(engine::numerics_names()))
      .rare();
  command.add_option("--quantise", flags.quantise, "Float weights, at load: q8_0 or none")
      .check(one_of({"none", "q8_0"}))
      .rare();
  command
      .add_option("--kv", flags.kv,
                  "Keys and values: f16, f32, q8_0 (half the bytes of f16), or auto: f32 with "
                  "--numerics f32 or where the weights make numbers beyond f16 likely, else f16")
      .check(one_of(engine::kv_names()))
      .rare();
}

void declare_device_flag(CommandOptions& command, std::string& device, const std::string& help) {
  command.add_option("--device", device, help)
      .check([](const std::string& value) {
        if (engine::device_named(value)) return std::string();
        return fmt::format("expected {}, found '{}'", engine::kDeviceChoices, value);
      })
      .brief("cpu, cuda, cuda:N or auto");
}

void declare_device_flag(CommandOptions& command, EngineFlags& flags) {
  declare_device_flag(command, flags.device,
                      "Where the model is computed: cpu, cuda (a GPU), cuda:N (the GPU with this "
                      "number), or auto: a GPU where there is one, the model fits and neither "
                      "--threads nor --isa is given, else cpu");
}

void declare_isa_flag(CommandOptions& command, EngineFlags& flags) {
  command
      .add_option("--isa", flags.isa,
                  "Instruction set: scalar, avx2, avx512, amx, or auto: the best of the first "
                  "three that the processor has; amx was slower than avx512 in most timings")
      .check(one_of(engine::isa_names()))
      .rare();
}

void declare_threads_flag(CommandOptions& command, EngineFlags& flags) {
  command.add_option("-t,--threads", flags.threads, "0: the physical cores granted to the process")
      .check(whole_number(0, engine::kMostThreads));
}

engine::EngineOptions engine_options(const EngineFlags& flags, bool quiet) {
  engine::EngineOptions options;
  options.device = engine::device_named(flags.device).value();
  options.numerics = engine::numerics_of(flags.numerics);
  options.isa = engine::isa_of(flags.isa);
  options.threads = flags.threads;
  options.quantise = flags.quantise == "q8_0";
  options.kv = engine::kv_of(flags.kv);
  options.on_read = shown_step("MB of weights read", quiet);
  options.on_packed = shown_step("MB of weights packed", quiet);
  return options;
}

std::unique_ptr<engine::Engine> make_engine(const model::Model& model, const EngineFlags& flags,
                                            int context, bool quiet) {
  engine::EngineOptions options = engine_options(flags, quiet);
  options.cache_tokens = context;
  return engine::make_engine(model, options);
}

}  // namespace outrider::cli
