#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "calibrate/answers/journal_of.h"
#include "calibrate/commands/commands.h"
#include "calibrate/commands/journal_folder.h"
#include "calibrate/studies/attribution_study.h"
#include "calibrate/studies/method_identity.h"
#include "runtime/base/json_text.h"
#include "runtime/base/output.h"
#include "runtime/base/output_file.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/prompt_flags.h"
#include "runtime/cli/read_files.h"
#include "runtime/cli/shown_watch.h"
#include "runtime/cli/time_limit.h"

namespace outrider::calibrate {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kAttributeExamples =
    "The model reads the given answers (\"reference\"), whose marks [ N ... ] name the "
    "source\n"
    "of what they copy; \"Source N (title): text\" in the prompt is such a source. The drafts that "
    "agree\n"
    "with the answer say what was copied, and are compared with the marks. An interrupted run goes "
    "on when the "
    "same\n"
    "command is given again.\n\n"
    "Examples:\n"
    "  calibrate attribute -m MODEL.gguf --prompts quotesum.jsonl\n"
    "  calibrate attribute -m MODEL.gguf --prompts quotesum.jsonl --method pld-plus-a --json "
    "a.json\n";

struct AttributeOptions {
  cli::TargetFlags target;
  AttributionStudy study;
  std::vector<std::string> spans;  // as written; none: the usual ones
  cli::MethodFlags method{"pld-plus-h"};
  std::string json;
  double minutes = 0;
  bool quiet = false;
  std::set<std::string> given;  // long names of the flags on the command line
};

std::string text_of(const std::vector<study::AttributionScore>& scores, std::size_t texts) {
  const study::AttributionScore& first = scores.front();
  std::string text = fmt::format(
      "{} answers, {} tokens copied\n"
      "spans of    precision  recall  F1     of {:<5} spans, from the right source\n",
      texts, first.gold, "these");
  for (const study::AttributionScore& score : scores)
    text += fmt::format("{:>3} and more {:<10.3f} {:<7.3f} {:<6.3f} {:>5.1f} % of {}\n",
                        score.min_span, score.precision(), score.recall(), score.f1(),
                        100 * score.right_share(), score.spans);
  return text;
}

std::string json_of(const std::vector<study::AttributionScore>& scores, std::size_t texts,
                    const AttributeOptions& options, const methods::PreparedMethod& method,
                    const inference::Target& target) {
  const inference::TargetOptions& of_target = target.options();
  Json json = {{"model", of_target.model},
               {"prompts", options.study.prompts},
               {"method", method.name()},
               {"settings", method.record()},
               {"chat", target.chat().name()},
               {"system", of_target.system ? Json(*of_target.system) : Json()},
               {"instruction", options.study.instruction},
               {"numerics", target.engine().numerics_name()},
               {"texts", texts}};
  for (const study::AttributionScore& score : scores)
    json["scores"].push_back({{"min_span", score.min_span},
                              {"precision", score.precision()},
                              {"recall", score.recall()},
                              {"f1", score.f1()},
                              {"predicted_tokens", score.predicted},
                              {"gold_tokens", score.gold},
                              {"spans", score.spans},
                              {"spans_of_right_source", score.right}});
  return json_text(json, 2) + "\n";
}

void attribute(AttributeOptions& options, const cli::TimeLimit& limit) {
  cli::ShownWatch watch("calibrate attribute", limit, options.quiet);
  AttributionStudy& study = options.study;
  cli::read_whole_numbers("--spans", options.spans, 1, 1 << 20, study.spans);
  const inference::TargetOptions of_target = target_options(options.target, options.quiet);
  const auto chosen = options.method.chosen(options.given);
  inference::Target target(of_target);
  chosen->copy_whole();
  const methods::PreparedMethod method =
      chosen->prepare({target.model(), target.engine(), cli::artifact_folders()});
  const MarkedAnswers given = marked_answers(study, target);
  OutputFile json("--json", options.json);
  data::Journal journal = journal_in(journal_folder(), "attribute", target, given.answers,
                                     method_identity(*chosen, target, cli::artifact_folders()));
  const auto scores = score_attribution(given, study, method, target, journal, watch);
  const std::size_t texts = given.answers.size();
  json.write_all(json_of(scores, texts, options, method, target));
  if (!json.is_standard_output()) write_output(text_of(scores, texts));
  journal.remove();
}

}  // namespace

cli::Command add_attribute(CLI::App& program) {
  auto options = std::make_shared<AttributeOptions>();
  cli::CommandOptions command(program, "attribute",
                              "Score how well drafts attribute an answer to its prompt");
  command.footer(kAttributeExamples);
  declare_model_flags(command, options->target.model, options->target.context);
  command.add_option("--prompts", options->study.prompts, "JSON lines with \"reference\" answers")
      .type_name("FILE")
      .reads(cli::prompts_at)
      .required();
  cli::declare_skip_refused_flag(command, options->study.skip_refused);
  command.add_list("--spans", options->spans,
                   "Shortest span in tokens, one score for each (default: 2 5 8)");
  command.add_option("--instruction", options->study.instruction,
                     "The text before the first source, instead of the prompt's own, which may ask "
                     "for marks");
  declare_chat_flags(command, options->target);
  command.group("Method");
  options->method.declare_copying_method(command);
  // What is copied from elsewhere has no source in the prompt.
  options->method.declare_settings(command, {"reference"});
  declare_machine_flags(command, options->target.engine, options->study.prefill_chunk);
  command.group("Options");
  command
      .add_option("--json", options->json,
                  "Also write the scores to this file; - is standard output, instead of the text")
      .type_name("FILE")
      .writes();
  cli::declare_minutes_flag(command, options->minutes);
  command.add_flag("--quiet", options->quiet, "No progress on standard error");
  return {command, [options, command] {
            options->given = command.given();
            const cli::TimeLimit limit(options->minutes);
            cli::keep_to(limit, [&] { attribute(*options, limit); });
          }};
}

}  // namespace outrider::calibrate
