#include "runtime/commands/artifact_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/artifacts/cost_group.h"
#include "runtime/artifacts/drafting_cost_group.h"
#include "runtime/artifacts/pld_plus_group.h"
#include "runtime/artifacts/trials_group.h"
#include "runtime/artifacts/trials_in_group.h"
#include "runtime/base/json_text.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/methods/list.h"
#include "runtime/report/drafter_costs_text.h"
#include "runtime/report/pld_plus_report.h"
#include "runtime/report/sheet.h"
#include "runtime/report/trials_json.h"
#include "runtime/report/trials_text.h"

namespace outrider {
namespace {

using artifacts::ArtifactFile;
using artifacts::ArtifactFolder;
using artifacts::ArtifactSet;
using hdf5::DatasetInfo;
using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestText = 400;  // longest text shown in full
constexpr std::size_t kMaxText = 1 << 24;

std::string shape_text(const DatasetInfo& info) {
  return fmt::format("[{}]", fmt::join(info.dims, ", "));
}

/// The value of a single number, passed to `use`.
template <typename Use>
auto with_number(const ArtifactFile& file, const std::string& path, const DatasetInfo& info,
                 const Use& use) {
  const auto one = [&]<typename T>(T) { return use(file.reader().read_number<T>(path)); };
  switch (info.type) {
    case hdf5::NumberType::kUint8:
      return one(std::uint8_t{});
    case hdf5::NumberType::kUint16:
      return one(std::uint16_t{});
    case hdf5::NumberType::kInt32:
      return one(std::int32_t{});
    case hdf5::NumberType::kInt64:
      return one(std::int64_t{});
    case hdf5::NumberType::kUint64:
      return one(std::uint64_t{});
    case hdf5::NumberType::kFloat32:
      return one(float{});
    case hdf5::NumberType::kFloat64:
      return one(double{});
    case hdf5::NumberType::kBfloat16:
      break;
  }
  return use("a bfloat16");
}

/// "int32 [49,152, 32], 2,310,554 bytes", or the value itself where it is short.
std::string dataset_text(const ArtifactFile& file, const std::string& path) {
  const DatasetInfo info = file.reader().info(path);
  if (info.is_text) {
    const std::string text = report::printable(file.reader().read_text(path, kMaxText));
    return text.size() <= kLongestText
               ? text
               : fmt::format("text of {} bytes", report::grouped(std::ssize(text)));
  }
  if (info.dims.empty())
    return with_number(file, path, info,
                       [](const auto& number) { return fmt::format("{}", number); });
  return fmt::format("{} {}, {} bytes", hdf5::name_of(info.type), shape_text(info),
                     report::grouped(static_cast<std::int64_t>(info.stored_bytes)));
}

/// Type and shape of a dataset, and its value where it is a single number or a short text.
Json dataset_json(const ArtifactFile& file, const std::string& path) {
  const DatasetInfo info = file.reader().info(path);
  Json json = {{"type", info.is_text ? "text" : hdf5::name_of(info.type)},
               {"shape", info.dims},
               {"bytes", info.stored_bytes}};
  if (info.is_text) {
    std::string text = file.reader().read_text(path, kMaxText);
    if (text.size() <= kLongestText) json["value"] = std::move(text);
  } else if (info.dims.empty()) {
    json["value"] = with_number(file, path, info, [](const auto& number) { return Json(number); });
  }
  return json;
}

std::vector<std::string> datasets_of(const ArtifactFile& file, const std::string& group) {
  std::vector<std::string> paths = file.datasets_of(group);
  std::erase_if(paths, [&group](const std::string& path) {
    return path.starts_with(group + "/provenance/");
  });
  return paths;
}

void add_group(const ArtifactFile& file, const std::string& group, bool with_file,
               report::Sheet& sheet) {
  const artifacts::Provenance how = artifacts::read_provenance(file.reader(), group);
  sheet.add(fmt::format("\n{}", report::printable(group)), "");
  if (with_file) sheet.add("  file", report::printable(file.reader().name()));
  sheet.add("  made by",
            fmt::format("{}, version {}, {}", report::printable(how.command),
                        report::printable(how.code_version), report::printable(how.date)));
  sheet.add("  options",
            report::printable(how.options.substr(0, how.options.find_last_not_of('\n') + 1)));
  if (!how.traces.empty()) sheet.add("  from traces", report::printable(how.traces));
  if (!how.place.empty()) sheet.add("  computed on", report::printable(how.place));
  for (const std::string& path : datasets_of(file, group)) {
    sheet.add(fmt::format("  {}", report::printable(path.substr(group.size() + 1))),
              dataset_text(file, path));
  }
}

/// What passes cost on the machines where a method's drafter was timed.
std::vector<report::PricesOn> prices_of(const std::string& method, const std::string& drafter,
                                        const ArtifactSet& known) {
  std::vector<report::PricesOn> prices;
  for (const std::string& group : artifacts::drafting_cost_groups(known, method)) {
    const auto drafting = artifacts::read_drafting_cost(known.with(group)->reader(), group);
    const auto passes = artifacts::passes_beside(known, group, drafting);
    if (drafting.drafter == drafter && passes)
      prices.push_back({group.substr(0, group.find("/drafting/")), *passes, drafting});
  }
  return prices;
}

/// Trials in a form. @param form  (trials, prices on machines, preference of the method)
template <typename Form>
auto shown_trials(const ArtifactFile& file, const artifacts::TrialsInGroup& where,
                  const ArtifactSet& known, const Form& form) {
  const cost::Trials trials = artifacts::read_trials(file.reader(), where.path);
  return form(trials, prices_of(where.method, trials.drafter, known),
              methods::new_method(where.method)->preference());
}

/// Curves and tables of a result, where it has any.
/// @param known  where costs are looked up
std::string shown_of(const ArtifactFile& file, const std::string& group, const ArtifactSet& known) {
  if (group == artifacts::kPldPlusHeads)
    return "\n" + report::pld_plus_heads_text(artifacts::read_pld_plus_heads(file.reader(), group));
  if (group == artifacts::kPldPlusLayer)
    return "\n" + report::pld_plus_layer_text(artifacts::read_pld_plus_layer(file.reader(), group));
  if (artifacts::is_cost_group(group)) {
    const cost::MachineCost measured = artifacts::read_cost(file.reader(), group);
    return measured.drafters.drafters.empty()
               ? ""
               : "\n" + report::drafter_costs_text(measured.drafters);
  }
  if (const auto where = artifacts::trials_in(group))
    return "\n" + shown_trials(file, *where, known, report::trials_text);
  return "";
}

/// A group and the file that contains it.
using Groups = std::vector<std::pair<std::string, const ArtifactFile*>>;

Groups groups_of(const ArtifactFile& file) {
  Groups groups;
  for (const std::string& group : file.groups()) groups.emplace_back(group, &file);
  return groups;
}

Groups groups_of(const ArtifactSet& set) {
  Groups groups;
  for (const std::string& group : set.groups()) groups.emplace_back(group, set.with(group));
  return groups;
}

void add_target(const artifacts::TargetIdentity& target, report::Sheet& sheet) {
  sheet.add("made for", fmt::format("{} ({})", report::printable(target.name),
                                    report::printable(target.model_hash)));
  sheet.add("its tokenizer", report::printable(target.tokenizer_hash));
  sheet.add("its shape", fmt::format("{} layers, width {}, {} tokens", target.layers, target.width,
                                     report::grouped(target.vocab)));
}

/// @param sheet  what precedes the groups
/// @param known  as of shown_of
std::string groups_text(report::Sheet sheet, const Groups& groups, const ArtifactSet& known,
                        bool with_files) {
  std::string text;
  for (const auto& [group, file] : groups) {
    add_group(*file, group, with_files, sheet);
    text += std::exchange(sheet, {}).text() + shown_of(*file, group, known);
  }
  return text + sheet.text();
}

Json target_json(const artifacts::TargetIdentity& target) {
  return {{"name", target.name},
          {"model_hash", target.model_hash},
          {"tokenizer_hash", target.tokenizer_hash},
          {"vocab", target.vocab},
          {"width", target.width},
          {"layers", target.layers}};
}

/// @param known  as of shown_of
Json groups_json(const Groups& groups, const ArtifactSet& known, bool with_files) {
  Json json = Json::object();
  for (const auto& [group, file] : groups) {
    const artifacts::Provenance how = artifacts::read_provenance(file->reader(), group);
    Json datasets = Json::object();
    for (const std::string& path : datasets_of(*file, group))
      datasets[path.substr(group.size() + 1)] = dataset_json(*file, path);
    json[group] = {{"command", how.command}, {"options", how.options},
                   {"seed", how.seed},       {"traces", how.traces},
                   {"place", how.place},     {"code_version", how.code_version},
                   {"date", how.date},       {"datasets", std::move(datasets)}};
    if (const auto where = artifacts::trials_in(group))
      json[group]["chosen"] = shown_trials(*file, *where, known, report::chosen_json);
    if (with_files) json[group]["file"] = file->reader().name();
  }
  return json;
}

std::string dumped(const Json& json) { return json_text(json) + "\n"; }

}  // namespace

bool holds_artifacts(const std::filesystem::path& path) {
  std::error_code none;
  // Model folders may contain weights in such files too.
  if (std::filesystem::exists(path / "config.json", none)) return false;
  for (const auto& entry : std::filesystem::directory_iterator(path, none))
    if (entry.path().extension() == ".h5") return true;
  return false;
}

std::string artifact_text(const ArtifactFile& file) {
  report::Sheet sheet;
  sheet.add("file", file.reader().name());
  add_target(file.target(), sheet);
  return groups_text(std::move(sheet), groups_of(file),
                     ArtifactSet(file.target(), file.reader().name(), cli::artifact_folders()),
                     false);
}

std::string artifact_text(const ArtifactFolder& folder) {
  std::string text;
  for (const ArtifactSet& set : folder.sets) {
    report::Sheet sheet;
    add_target(set.target(), sheet);
    text += (text.empty() ? "" : "\n") + groups_text(std::move(sheet), groups_of(set), set, true);
  }
  for (const std::string& why : folder.refused) text += fmt::format("\nnot read: {}\n", why);
  return text;
}

std::string artifact_json(const ArtifactFile& file) {
  return dumped({{"file", file.reader().name()},
                 {"target", target_json(file.target())},
                 {"groups", groups_json(groups_of(file),
                                        ArtifactSet(file.target(), file.reader().name(),
                                                    cli::artifact_folders()),
                                        false)}});
}

std::string artifact_json(const ArtifactFolder& folder) {
  Json sets = Json::array();
  for (const ArtifactSet& set : folder.sets)
    sets.push_back({{"target", target_json(set.target())},
                    {"groups", groups_json(groups_of(set), set, true)}});
  return dumped({{"sets", std::move(sets)}, {"not_read", folder.refused}});
}

}  // namespace outrider
