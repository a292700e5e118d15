#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/base/build_name.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/base/stopwatch.h"
#include "runtime/base/user_cache.h"
#include "runtime/base/utc_time.h"
#include "runtime/certify/certificate.h"
#include "runtime/certify/kept_certificate.h"
#include "runtime/cli/engine_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/progress.h"
#include "runtime/commands/commands.h"
#include "runtime/engine/engine_names.h"
#include "runtime/model/extend_context.h"
#include "runtime/model/identity.h"

namespace outrider {
namespace {

struct CertifyCommandOptions {
  std::string model;
  int context = 0;  // 0: the model's
  double minutes = 0.5;
  cli::EngineFlags flags;
  std::string isa = "all";
  std::vector<std::string> threads;
  certify::CertifyOptions settings;
  std::string json;
};

/// The model and numerics that the certificate is for.
struct Subject {
  std::string model;
  std::string model_hash;
  std::string numerics;
  engine::Place place;
  engine::Place reference;  // what its rows are compared with was decoded on
  std::uint64_t seed;
};

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string json_of(const certify::Certificate& c, const Subject& subject) {
  nlohmann::ordered_json json = {{"model", subject.model},
                                 {"model_hash", subject.model_hash},
                                 {"numerics", subject.numerics},
                                 {"machine", subject.place.name},
                                 {"device", subject.place.device()},
                                 {"reference",
                                  {{"machine", subject.reference.name},
                                   {"device", subject.reference.device()},
                                   {"threads", 1}}},
                                 {"build", build_name()},
                                 {"date", utc_now()},
                                 {"seed", subject.seed},
                                 {"cases", c.cases},
                                 {"interrupted", interrupted()},
                                 {"logits_hash", hex(c.logits_hash)}};
  for (const certify::CertifyCounts& counts : c.counts)
    json["compared"].push_back({{"isa", counts.variant},
                                {"threads", counts.threads},
                                {"contexts", {counts.shortest_context, counts.longest_context}},
                                {"rows", counts.rows},
                                {"rows_with_logits", counts.logits_rows},
                                {"passes", counts.passes},
                                {"deepest_path", counts.deepest_path},
                                {"moved_rows", counts.moved_rows},
                                {"continued_rows", counts.continued_rows},
                                {"state_rows", counts.state_rows},
                                {"copied_rows", counts.copied_rows},
                                {"rows_after_truncation", counts.rows_after_truncation},
                                {"attention_rows", counts.attention_rows},
                                {"most_sequences", counts.most_sequences}});
  json["difference"] =
      c.difference ? nlohmann::ordered_json(*c.difference) : nlohmann::ordered_json(nullptr);
  return json_text(json, 2) + "\n";
}

std::string text_of(const certify::Certificate& c, const Subject& subject) {
  std::string text =
      fmt::format("model     {}, {}\nnumerics  {}\nmachine   {}\nbuild     {}\n", subject.model,
                  subject.model_hash, subject.numerics, subject.place.name, build_name());
  text += fmt::format(
      "compared with one-row decoding on one thread{}, in {} cases (seed {}), bit for bit: logits, "
      "the\n"
      "state after every layer, the arg-max of every head's attention, keys and values\n"
      "isa      threads   contexts     rows  with logits  passes  deepest path  rows moved\n",
      subject.place == subject.reference ? "" : " of the processor", c.cases, subject.seed);
  for (const certify::CertifyCounts& counts : c.counts)
    text += fmt::format("{:<8} {:<9} {:<8} {:>8} {:>12} {:>7} {:>13} {:>11}\n", counts.variant,
                        fmt::format("{}", fmt::join(counts.threads, ",")),
                        fmt::format("{}-{}", counts.shortest_context, counts.longest_context),
                        counts.rows, counts.logits_rows, counts.passes, counts.deepest_path,
                        counts.moved_rows);
  text +=
      "scores of logits were compared too; rows that follow rows held from an earlier pass, given "
      "as\n"
      "states, copied from another sequence, after a truncation, with attention; sequences of a "
      "pass\n"
      "isa      continued  states  copied  truncated  attention  sequences\n";
  for (const certify::CertifyCounts& counts : c.counts)
    text += fmt::format("{:<8} {:>9} {:>7} {:>7} {:>10} {:>10} {:>10}\n", counts.variant,
                        counts.continued_rows, counts.state_rows, counts.copied_rows,
                        counts.rows_after_truncation, counts.attention_rows, counts.most_sequences);
  text += fmt::format("logits of the fixed text  {}\n", hex(c.logits_hash));
  if (c.difference) return text + fmt::format("DIFFERENT: {}\n", *c.difference);
  return text + (interrupted() ? "interrupted; all bits so far equal\n" : "all bits equal\n");
}

/// A processor's engine of the same model and numerics, to which a GPU's is compared; null for a processor's own.
std::unique_ptr<engine::Engine> processor_beside(const engine::Engine& engine,
                                                 const model::Model& model, cli::EngineFlags flags,
                                                 int context) {
  if (engine.place().kind == engine::Place::Kind::kProcessor) return nullptr;
  flags.device = "cpu";
  return cli::make_engine(model, flags, context);
}

void run_certify(const CertifyCommandOptions& options) {
  certify::CertifyOptions settings = options.settings;
  cli::read_whole_numbers("--threads", options.threads, 1, engine::kMostThreads, settings.threads);
  const model::Model model = model::load_for_context(options.model, options.context);
  const auto engine = cli::make_engine(model, options.flags, options.context);
  settings.variants =
      options.isa == "all" ? engine->variants() : std::vector{engine->variant(options.isa)};
  const auto processor = processor_beside(*engine, model, options.flags, options.context);
  const engine::Engine& reference = processor ? *processor : *engine;
  const Subject subject{options.model,   model::model_hash(model), engine->numerics_name(),
                        engine->place(), reference.place(),        settings.seed};

  OutputFile json("--json", options.json);
  catch_interrupts();
  const Stopwatch watch;
  const auto seconds = static_cast<std::int64_t>(options.minutes * 60);
  cli::Progress progress("seconds", seconds);
  const certify::Certificate certificate =
      certify::certify(reference, settings, [&](const certify::Certificate& so_far) {
        const double passed = watch.seconds();
        if (passed < options.minutes * 60) progress.show(static_cast<std::int64_t>(passed));
        return !interrupted() && (passed < options.minutes * 60 || so_far.cases == 0);
      });
  const std::string written = json_of(certificate, subject);
  json.write_all(written);
  // What does not hold is kept too: a server tells of the last certificate.
  if (!interrupted())
    certify::keep_certificate(user_cache_folder(),
                              certify::certificate_key(subject.model_hash, *engine), written);
  if (!json.is_standard_output()) write_output(text_of(certificate, subject));
  if (certificate.difference) throw CheckFailed("certify: " + *certificate.difference);
  if (interrupted()) throw Interrupted();
}

}  // namespace

cli::Command add_certify(CLI::App& program) {
  auto options = std::make_shared<CertifyCommandOptions>();
  cli::CommandOptions command(
      program, "certify", "Prove that the bits of a row do not depend on the other rows of a pass");
  declare_model_flags(command, options->model, options->context);
  command
      .add_option("--minutes", options->minutes,
                  "Duration of the run; random cases are compared until then, at least one")
      .check(cli::real_number(0, 100000));
  declare_device_flag(command, options->flags);
  declare_numerics_flags(command, options->flags);
  std::vector<std::string> isas = engine::isa_names();
  std::replace(isas.begin(), isas.end(), std::string("auto"), std::string("all"));
  command
      .add_option(
          "--isa", options->isa,
          fmt::format("Instruction sets: {}; all: those of this processor", fmt::join(isas, ", ")))
      .check(cli::one_of(isas));
  command.add_list("-t,--threads", options->threads,
                   "Numbers of threads, used in turn (default: 1 2 3 4)");
  command
      .add_option("--context", options->settings.max_context,
                  "Longest text in tokens; limited by the model's positions")
      .check(cli::whole_number(1, 1 << 24));
  command.add_option("--seed", options->settings.seed, "Seed of the random cases");
  command
      .add_option(
          "--json", options->json,
          "Also write the certificate to this file; - is standard output, in place of the text")
      .type_name("FILE")
      .writes();
  return {command, [options] { run_certify(*options); }};
}

}  // namespace outrider
