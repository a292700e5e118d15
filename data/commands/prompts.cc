#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "data/commands/commands.h"
#include "data/prompts/prompt_mix.h"
#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "runtime/base/log.h"
#include "runtime/base/numbers.h"
#include "runtime/base/output_file.h"
#include "runtime/prompt_files/turn_gatherer.h"

namespace outrider::data {
namespace {

constexpr const char* kPromptsExamples =
    "A prompt is left out if one of its turns has the words of a measured turn, or 13 consecutive "
    "words\n"
    "of one, unless these are in 3 records and 0.5 % of its own file: the wording of the set. "
    "Turns of\n"
    "fewer than 5 words are not compared. Held-out prompts, halves and order are functions of a "
    "prompt's id.\n\n"
    "Examples:\n"
    "  data prompts a.jsonl b.jsonl --exclude test.jsonl --hold-out-all 0.1 --hold-out b=0.3 -o "
    "train.jsonl\n"
    "  data prompts --exclude test.jsonl --write-hashes measured.txt\n"
    "  data prompts --check train.jsonl --hashes configs/measured_prompts.txt\n";

struct PromptsOptions {
  std::vector<std::string> files;
  std::string out, held_out;
  std::vector<std::string> exclude;
  std::vector<std::string> hashes;
  std::string write_hashes;
  std::vector<std::string> hold_out;  // "STEM=SHARE", as written
  std::vector<std::string> first_half, second_half;
  std::vector<std::string> second_prompts;  // "STEM=TEXT", as written
  PromptMixOptions mix;
  bool check = false;
  bool quiet = false;
};

/// @throws InputError
void read_hold_out(const std::string& text, std::map<std::string, double>& shares) {
  const std::size_t sign = text.rfind('=');
  const auto share = sign == std::string::npos ? std::nullopt : parse_real(text.substr(sign + 1));
  if (!share || *share < 0 || *share > 1)
    throw InputError(
        fmt::format("--hold-out: expected a file's name without ending, = and a share from 0 to 1, "
                    "such as mbpp=0.3, found '{}'",
                    text));
  shares[text.substr(0, sign)] = *share;
}

/// @throws InputError
void read_second_prompt(const std::string& text, std::map<std::string, std::string>& prompts) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign + 1 == text.size())
    throw InputError(
        fmt::format("--second-prompt: expected a file's name without ending, = and words, such as "
                    "'xsum=Summarize: ', found '{}'",
                    text));
  prompts[text.substr(0, sign)] = text.substr(sign + 1);
}

void check_names(const PromptsOptions& options) {
  std::set<std::string> stems;
  for (const std::string& file : options.files)
    stems.insert(std::filesystem::path(file).stem().string());
  const auto check = [&](const char* flag, const std::string& name) {
    if (stems.count(name) == 0)
      throw InputError(
          fmt::format("{}: expected the name of a FILE without ending, found '{}'", flag, name));
  };
  for (const auto& [name, share] : options.mix.hold_out_of) check("--hold-out", name);
  for (const auto& [name, words] : options.mix.second_prompts) check("--second-prompt", name);
  for (const std::string& name : options.first_half) check("--first-half", name);
  for (const std::string& name : options.second_half) check("--second-half", name);
}

void resolve(PromptsOptions& options) {
  for (const std::string& text : options.hold_out) read_hold_out(text, options.mix.hold_out_of);
  for (const std::string& text : options.second_prompts)
    read_second_prompt(text, options.mix.second_prompts);
  options.mix.first_half = {options.first_half.begin(), options.first_half.end()};
  options.mix.second_half = {options.second_half.begin(), options.second_half.end()};
  check_names(options);
  if (options.check && options.files.empty())
    throw InputError("--check: expected a FILE of prompts, found none");
  if (options.check &&
      !(options.out.empty() && options.held_out.empty() && options.write_hashes.empty()))
    throw InputError("--check: not with --out, --write-held-out or --write-hashes");
  if (options.exclude.empty() && options.hashes.empty())
    throw InputError(
        "expected --exclude or --hashes: what is measured on, so that it is not trained on");
  const std::string& written = options.out.empty() ? options.held_out : options.out;
  if (!written.empty() && options.files.empty())
    throw InputError(fmt::format("{}: expected FILE, what is mixed into it",
                                 options.out.empty() ? "--write-held-out" : "--out"));
  if (!options.check && written.empty() && options.write_hashes.empty())
    throw InputError("expected FILE and --out, --check FILE, or --write-hashes");
}

MeasuredPrompts read_measured(const PromptsOptions& options) {
  MeasuredPrompts measured;
  for (const std::string& file : options.exclude)
    for (const text::PromptRecord& record : text::read_prompts(file)) measured.add(record);
  for (const std::string& file : options.hashes) measured.add_hashes(file);
  return measured;
}

void check_files(const PromptsOptions& options, const MeasuredPrompts& measured) {
  std::size_t prompts = 0;
  for (const std::string& file : options.files) {
    for (const text::PromptRecord& record : text::read_prompts(file)) {
      ++prompts;
      if (measured.has_turn_of(PromptWords(record)))
        throw InputError(
            fmt::format("{}: prompt '{}' is one of those that are measured on; take it out, or mix "
                        "the file with data prompts",
                        file, record.id));
    }
  }
  if (!options.quiet) print_log("{} prompts, none of them measured on\n", prompts);
}

std::string line_of(const text::PromptRecord& record) {
  nlohmann::ordered_json json = {{"id", record.id}};
  if (!record.task.empty()) json["task"] = record.task;
  if (!record.source.empty()) json["source"] = record.source;
  if (record.system || !record.answers.empty() || !record.tools.empty() ||
      !record.tool_steps.empty())
    json["messages"] = messages_of(record);
  else
    json["turns"] = record.turns;
  if (!record.tools.empty()) json["tools"] = nlohmann::ordered_json::parse(record.tools);
  if (!record.reference.empty()) json["reference"] = record.reference;
  return json_text(json) + "\n";
}

/// The prompts of all files. Prints how many were used of each.
PromptMix mixed(const PromptsOptions& options, const MeasuredPrompts& measured) {
  PromptMix mix(options.mix, measured);
  std::string table = fmt::format("{:<20} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "prompts", "kept",
                                  "measured", "13 words", "held out", "half");
  for (const std::string& file : options.files) {
    const std::string stem = std::filesystem::path(file).stem().string();
    const PromptCounts counts = mix.add(stem, text::read_prompts(file));
    table += fmt::format("{:<20} {:>8} {:>8} {:>8} {:>8} {:>8}\n", stem, counts.kept,
                         counts.measured, counts.shared, counts.held_out, counts.other_half);
  }
  if (!options.quiet) write_log(table);
  return mix;
}

std::string lines_of(const std::vector<text::PromptRecord>& records) {
  std::string lines;
  for (const text::PromptRecord& record : records) lines += line_of(record);
  return lines;
}

void run_prompts(PromptsOptions& options) {
  resolve(options);
  OutputFile out("--out", options.out);
  OutputFile held_out("--write-held-out", options.held_out);
  OutputFile hashes("--write-hashes", options.write_hashes);
  const MeasuredPrompts measured = read_measured(options);
  if (options.check) return check_files(options, measured);
  const PromptMix mix = mixed(options, measured);
  out.write_all(lines_of(mix.in_order()));
  held_out.write_all(lines_of(mix.held_out_in_order()));
  hashes.write_all(measured.hashes_text());
}

}  // namespace

cli::Command add_prompts(CLI::App& program) {
  auto options = std::make_shared<PromptsOptions>();
  cli::CommandOptions command(
      program, "prompts", "Mix prompt files into one training file without the evaluation prompts");
  command.add_list("FILE", options->files, "Prompts, as JSON lines").reads();
  command
      .add_option("-o,--out", options->out,
                  "Write the chosen prompts, as JSON lines; - is standard output")
      .type_name("FILE")
      .writes();
  command.add_list("--exclude", options->exclude, "Evaluation prompts, as JSON lines")
      .type_name("FILE")
      .reads();
  command
      .add_list("--hashes", options->hashes,
                "Hashes of measured turns, one a line: these are left out too")
      .type_name("FILE")
      .reads();
  command
      .add_option("--write-hashes", options->write_hashes,
                  "Write the hashes of all measured turns; - is standard output")
      .type_name("FILE")
      .writes();
  command
      .add_list("--hold-out", options->hold_out,
                "Share of a file that is kept for other uses, by its name without ending")
      .type_name("NAME=SHARE");
  command.add_option("--hold-out-all", options->mix.hold_out, "The same of every other file")
      .check(cli::real_number(0, 1));
  command
      .add_option("--write-held-out", options->held_out,
                  "Write the prompts that are held out, as JSON lines; - is standard output")
      .type_name("FILE")
      .writes();
  command
      .add_list("--first-half", options->first_half,
                "Files of which one half is taken, by a hash of the prompt")
      .type_name("NAME");
  command.add_list("--second-half", options->second_half, "Files of which the other half is taken")
      .type_name("NAME");
  command
      .add_list("--second-prompt", options->second_prompts,
                "Each prompt of this file a second time, with TEXT in place of its first paragraph")
      .type_name("NAME=TEXT");
  command
      .add_option("--seed", options->mix.seed,
                  "Seed of the choice of held-out prompts, of the order and of the halves")
      .check(cli::whole_number(0, INT64_MAX - 2));
  command.add_flag("--check", options->check,
                   "Refuse the first FILE with a prompt that is measured on, and write nothing");
  command.refuse_unless(
      {"hold-out", "hold-out-all", "first-half", "second-half", "second-prompt", "seed"},
      [options] { return !options->check && !options->files.empty(); },
      "only where prompts are mixed: with a FILE and without --check");
  command.add_flag("--quiet", options->quiet, "No figures on standard error");
  command.footer(kPromptsExamples);
  return {command, [options] { run_prompts(*options); }};
}

}  // namespace outrider::data
