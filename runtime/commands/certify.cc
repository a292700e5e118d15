#include "runtime/commands/certify.h"

#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupt.h"
#include "runtime/base/output.h"
#include "runtime/base/progress.h"
#include "runtime/base/stopwatch.h"
#include "runtime/commands/engine_flags.h"
#include "runtime/engine/certificate.h"
#include "runtime/engine/engine_names.h"
#include "runtime/engine/machine.h"

namespace outrider {
namespace {

struct CertifyCommandOptions {
  std::string model;
  double minutes = 0.5;
  EngineFlags flags;
  std::string isa = "all";
  std::uint64_t seed = 1;
  std::string json;
};

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string json_of(const engine::Certificate& c, const CertifyCommandOptions& options) {
  nlohmann::ordered_json json = {{"model", options.model},
                                 {"numerics", c.numerics},
                                 {"machine", engine::machine_name()},
                                 {"build", OUTRIDER_VERSION},
                                 {"seed", options.seed},
                                 {"cases", c.cases},
                                 {"logits_hash", hex(c.logits_hash)}};
  for (const engine::CertifyCounts& counts : c.counts)
    json["compared"].push_back({{"isa", counts.isa},
                                {"rows", counts.rows},
                                {"passes", counts.passes},
                                {"deepest_path", counts.deepest_path},
                                {"moved_rows", counts.moved_rows}});
  json["difference"] =
      c.difference ? nlohmann::ordered_json(*c.difference) : nlohmann::ordered_json(nullptr);
  return json.dump(2) + "\n";
}

std::string text_of(const engine::Certificate& c, const CertifyCommandOptions& options) {
  std::string text =
      fmt::format("model     {}\nnumerics  {}\nmachine   {}\nbuild     outrider {}\n",
                  options.model, c.numerics, engine::machine_name(), OUTRIDER_VERSION);
  text += fmt::format(
      "compared with one-row decoding on one thread, in {} cases (seed {}), bit for bit: logits, "
      "the\n"
      "state after every layer, the arg-max of every head's attention, keys and values\n",
      c.cases, options.seed);
  for (const engine::CertifyCounts& counts : c.counts)
    text += fmt::format(
        "  {:<8} {:>7} rows in {:>6} passes, paths of up to {} rows committed, {} rows moved\n",
        counts.isa, counts.rows, counts.passes, counts.deepest_path, counts.moved_rows);
  text += fmt::format("logits of the fixed text  {}\n", hex(c.logits_hash));
  text += c.difference ? fmt::format("DIFFERENT: {}\n", *c.difference)
                       : std::string("all bits equal\n");
  return text;
}

void certify(const CertifyCommandOptions& options) {
  const model::Model model = model::load_model(options.model);
  engine::CertifyOptions settings;
  settings.numerics = engine::numerics_of(options.flags.numerics);
  settings.quantise = options.flags.quantise == "q8_0";
  if (options.isa != "all") settings.isas = {engine::isa_of(options.isa)};
  settings.seed = options.seed;

  const Stopwatch watch;
  const auto seconds = static_cast<std::int64_t>(options.minutes * 60);
  Progress progress("seconds", seconds);
  const engine::Certificate certificate =
      engine::certify(model, settings, [&](const engine::Certificate&) {
        const double passed = watch.seconds();
        progress.show(std::min(static_cast<std::int64_t>(passed), seconds));
        return passed < options.minutes * 60 && !interrupted();
      });
  if (!options.json.empty()) write_file_atomically(options.json, json_of(certificate, options));
  write_output(text_of(certificate, options));
  if (certificate.difference) throw CheckFailed("certify: " + *certificate.difference);
}

}  // namespace

Command add_certify(CLI::App& program) {
  auto options = std::make_shared<CertifyCommandOptions>();
  CommandOptions command(program, "certify",
                         "Prove that rows keep their bits in any company, on this machine");
  declare_model_flag(command, options->model);
  command.add_option("--minutes", options->minutes, "How long to go on with random cases")
      .check(real_number(0, 100000));
  declare_numerics_flags(command, options->flags);
  command
      .add_option("--isa", options->isa,
                  "all that this processor has, or one of scalar, avx2, avx512, amx")
      .check(one_of({"all", "scalar", "avx2", "avx512", "amx"}));
  command.add_option("--seed", options->seed, "Of the random cases");
  command.add_option("--json", options->json, "Also write the certificate to this file");
  return {command, [options] { certify(*options); }};
}

}  // namespace outrider
