#include <fmt/core.h>
#include <fmt/ranges.h>

#include <memory>

#include "runtime/base/duration_text.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/report/sheet.h"
#include "train/commands/commands.h"
#include "train/run/work_folder.h"

namespace outrider::train {
namespace {

constexpr const char* kInspectExamples =
    "Runs with the same state hash have computed the same bits, however often they were "
    "interrupted.\n\n"
    "Examples:\n"
    "  train inspect work\n"
    "  train inspect work/checkpoint.h5 --json - | jq .weights_hash\n";

struct InspectOptions {
  std::string path;
  std::string json;
};

std::int64_t numbers(const Checkpoint& checkpoint) {
  std::int64_t sum = 0;
  for (const SavedParameter& parameter : checkpoint.parameters) sum += std::ssize(parameter.value);
  return sum;
}

/// A value in one line; of a long list its length.
std::string value_text(const nlohmann::ordered_json& value) {
  constexpr std::size_t kMostShown = 16;
  if (value.is_array() && value.size() > kMostShown)
    return fmt::format("{} values", report::grouped(std::ssize(value)));
  return report::printable(value.is_string() ? value.get<std::string>() : json_text(value));
}

void add_all(const nlohmann::ordered_json& json, report::Sheet& sheet) {
  for (const auto& [key, value] : json.items())
    sheet.add("  " + report::printable(key), value_text(value));
}

std::string run_text(const Checkpoint& checkpoint) {
  report::Sheet sheet;
  sheet.add("steps", fmt::format("{} of {}", report::grouped(checkpoint.step),
                                 report::grouped(checkpoint.steps)));
  sheet.add("tokens", report::grouped(checkpoint.tokens));
  sheet.add("time", duration_text(checkpoint.seconds));
  sheet.add("parameters", fmt::format("{} in {} tensors", report::grouped(numbers(checkpoint)),
                                      checkpoint.parameters.size()));
  if (checkpoint.best)
    sheet.add("best score",
              fmt::format("{:.4f} after step {}, {} validations since", checkpoint.best->score,
                          checkpoint.best->step, checkpoint.worse_since));
  for (const auto& [name, line] : checkpoint.last.items()) {
    sheet.add("last " + name, "");
    add_all(line, sheet);
  }
  for (const SavedStream& stream : checkpoint.streams)
    sheet.add("traces",
              fmt::format("{} shards, content {}, epoch {}, trace {}", stream.shards.size(),
                          stream.content, stream.epoch, report::grouped(stream.trace)));
  sheet.add("objective", "");
  add_all(checkpoint.identity.at("objective"), sheet);
  sheet.add("training", "");
  add_all(checkpoint.identity.at("training"), sheet);
  sheet.add("computed with", checkpoint.arithmetic);
  sheet.add("weights hash", weights_hash(checkpoint));
  sheet.add("state hash", state_hash(checkpoint));
  return sheet.text();
}

nlohmann::ordered_json json_of(const Checkpoint& checkpoint) {
  nlohmann::ordered_json json = {{"step", checkpoint.step},
                                 {"steps", checkpoint.steps},
                                 {"tokens", checkpoint.tokens},
                                 {"seconds", checkpoint.seconds},
                                 {"parameters", numbers(checkpoint)}};
  if (checkpoint.best)
    json["best"] = {{"score", checkpoint.best->score}, {"step", checkpoint.best->step}};
  json["worse_since"] = checkpoint.worse_since;
  json["last"] = checkpoint.last;
  json["streams"] = nlohmann::ordered_json::array();
  for (const SavedStream& stream : checkpoint.streams)
    json["streams"].push_back({{"shards", stream.shards},
                               {"content", stream.content},
                               {"epoch", stream.epoch},
                               {"trace", stream.trace}});
  json["identity"] = checkpoint.identity;
  json["recipe"] = checkpoint.recipe;
  json["arithmetic"] = checkpoint.arithmetic;
  json["weights_hash"] = weights_hash(checkpoint);
  json["state_hash"] = state_hash(checkpoint);
  return json;
}

void inspect(const InspectOptions& options) {
  const Checkpoint checkpoint = read_run(options.path);
  OutputFile out("--json", options.json);
  out.write_all(json_text(json_of(checkpoint), 1) + "\n");
  if (!out.is_standard_output()) write_output(run_text(checkpoint));
}

}  // namespace

cli::Command add_inspect(CLI::App& program) {
  auto options = std::make_shared<InspectOptions>();
  cli::CommandOptions command(program, "inspect", "Print what a training run has done so far");
  command.add_option("PATH", options->path, "A checkpoint, or the --work folder of a run")
      .required()
      .reads(run_at);
  command
      .add_option("--json", options->json,
                  "Also write it to this file as JSON; - is standard output, in place of the text")
      .type_name("FILE")
      .writes();
  command.footer(kInspectExamples);
  return {command, [options] { inspect(*options); }};
}

}  // namespace outrider::train
