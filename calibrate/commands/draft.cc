#include <memory>

#include "calibrate/commands/commands.h"
#include "calibrate/commands/drafter_options.h"
#include "calibrate/report/draft_report.h"

namespace outrider::calibrate {
namespace {

constexpr const char* kDraftExamples =
    "Nothing is decoded: the draft model reads the texts of the traces and draws, with their own "
    "noise,\n"
    "what it would draft in place of each token. A token outside its vocabulary counts as "
    "rejected; "
    "tokens in\n"
    "loops do not count.\n\n"
    "Examples:\n"
    "  calibrate draft -m MODEL.gguf --data traces\n"
    "  calibrate draft -m MODEL.gguf --data traces --draft SMALL.gguf --json -\n";

void run_draft(const DrafterOptions& given) {
  run_drafter_study(
      "calibrate draft", given,
      [](inference::Target& target, const DrafterStudyOptions& options, Watch& watch) {
        return DraftStudy(target, options, watch);
      },
      [&](DraftStudy& study, RecordFile& json) {
        const DraftFindings found = study.run();
        json.write(draft_findings_json(found));
        if (given.json != "-") write_output(draft_findings_text(found));
      });
}

}  // namespace

cli::Command add_draft(CLI::App& program) {
  auto options = std::make_shared<DrafterOptions>();
  cli::CommandOptions command(
      program, "draft",
      "Measure a draft model's acceptance, and find its fastest draft lengths on this machine");
  command.footer(kDraftExamples);
  declare_drafter_flags(command, *options);
  declare_drafter_output(command, *options);
  return result_command(command, options, run_draft);
}

}  // namespace outrider::calibrate
