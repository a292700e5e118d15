#include "data/commands/store_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "data/store/trace_group.h"
#include "runtime/report/sheet.h"

namespace outrider::data {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

double per_token(double sum, std::int64_t tokens) {
  return share(sum, static_cast<double>(tokens));
}

void add_group(const TraceGroup& group, report::Sheet& sheet) {
  const std::size_t missing = group.missing().size();
  std::string text =
      fmt::format("{} of {} files{}; content hash {}", group.manifest().shards.size(),
                  group.manifest().plan.shards(), missing == 0 ? "" : ", not finished",
                  content_hash(group.manifest()));
  for (const GroupColumn& column : group.spec().columns)
    text +=
        fmt::format("\n{}: {} {} a row", path_of(column), column.width, hdf5::name_of(column.type));
  for (const auto& [name, value] : group.spec().options)
    text += fmt::format("\n--{} {}", report::printable(name), report::printable(value));
  sheet.add(fmt::format("group {}", group.spec().name), text);
}

void add_identity(const TraceStore& store, report::Sheet& sheet) {
  const Manifest& manifest = store.manifest();
  const StoreIdentity& identity = manifest.identity;
  sheet.add("store", store.folder().string());
  sheet.add("model", fmt::format("{} ({})", report::printable(identity.model_name),
                                 report::printable(identity.model_hash)));
  std::string settings;
  for (const auto& [name, value] : identity.options) {
    settings += fmt::format("{}--{} {}", settings.empty() ? "" : "\n", report::printable(name),
                            report::printable(value));
  }
  if (!settings.empty()) sheet.add("made with", settings);
  const std::size_t missing = store.missing().size();
  sheet.add("shards", fmt::format("{} of {}{}", store.shards().size(), manifest.plan.shards(),
                                  missing == 0 ? "" : ", not finished"));
  sheet.add("content hash", content_hash(manifest));
  for (const std::string& name : group_names(store)) add_group(TraceGroup(store, name), sheet);
}

void add_sums(const StoreSummary& summary, report::Sheet& sheet) {
  const TraceSums& all = summary.all;
  sheet.add("traces",
            fmt::format("{} ({} ended by the model, {} at the limit, {} by a full context)",
                        report::grouped(all.traces), report::grouped(all.finishes[0]),
                        report::grouped(all.finishes[1]), report::grouped(all.finishes[2])));
  sheet.add("prompt tokens", report::grouped(all.prompt_tokens));
  sheet.add("output tokens", report::grouped(all.output_tokens));
  sheet.add("size", fmt::format("{} bytes, {:.1f} per output token", report::grouped(summary.bytes),
                                per_token(static_cast<double>(summary.bytes), all.output_tokens)));
}

/// The name of a task, "(none)" if empty.
std::string task_name(const std::string& task) { return task.empty() ? "(none)" : task; }

std::string task_line(const std::string& name, const TraceSums& sums) {
  const std::int64_t outside = sums.output_tokens - sums.loop_tokens;
  return fmt::format("  {:<24} {:>8} {:>10} {:>10} {:>8.1f}% {:>9.3f} {:>9.3f}\n",
                     report::printable(name), report::grouped(sums.traces),
                     report::grouped(sums.prompt_tokens), report::grouped(sums.output_tokens),
                     100 * per_token(static_cast<double>(sums.loop_tokens), sums.output_tokens),
                     per_token(sums.entropy, sums.output_tokens),
                     per_token(sums.entropy_outside_loops, outside));
}

std::string histogram_text(const char* title, const Histogram& histogram) {
  constexpr double kBarWidth = 40;
  std::string text = fmt::format("\n{}\n", title);
  const auto most = *std::max_element(histogram.counts.begin(), histogram.counts.end());
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    const double bar =
        kBarWidth * share(static_cast<double>(histogram.counts[i]), static_cast<double>(most));
    text += fmt::format("  from {:>6} {:>12}  {}\n", histogram.edges[i],
                        report::grouped(histogram.counts[i]),
                        std::string(static_cast<std::size_t>(bar + 0.5), '#'));
  }
  return text;
}

/// Shares of the counts between the edges, per task and overall.
std::string shares_by_task(const StoreSummary& summary, Histogram TraceSums::*histogram) {
  std::string text = fmt::format("\n  {:<24}", "in %, from");
  for (const double edge : (summary.all.*histogram).edges) text += fmt::format("{:>6}", edge);
  const auto add_line = [&](const std::string& name, const TraceSums& sums) {
    const std::vector<std::int64_t>& counts = (sums.*histogram).counts;
    const auto sum =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    text += fmt::format("\n  {:<24}", report::printable(name));
    for (const std::int64_t count : counts)
      text += fmt::format("{:>6.1f}", 100 * share(static_cast<double>(count), sum));
  };
  for (const auto& [name, sums] : summary.tasks) add_line(task_name(name), sums);
  add_line("all", summary.all);
  return text + "\n";
}

std::string dataset_table(const StoreSummary& summary) {
  std::string text =
      fmt::format("\n{:<28} {:>14} {:>10}\n", "values of", "bytes", "per output token");
  std::int64_t rest = summary.bytes;
  const auto line = [&](const std::string& name, std::int64_t bytes) {
    text +=
        fmt::format("  {:<26} {:>14} {:>10.2f}\n", report::printable(name), report::grouped(bytes),
                    per_token(static_cast<double>(bytes), summary.all.output_tokens));
  };
  for (const auto& [path, bytes] : summary.dataset_bytes) {
    line(path, bytes);
    rest -= bytes;
  }
  line("(the files' structure)", rest);
  return text;
}

}  // namespace

std::string text_of(const TraceStore& store, const StoreSummary& summary) {
  report::Sheet sheet;
  add_identity(store, sheet);
  add_sums(summary, sheet);
  std::string text = sheet.text();
  text += fmt::format("\n  {:<24} {:>8} {:>10} {:>10} {:>9} {:>9} {:>9}\n", "task", "traces",
                      "prompt", "output", "in loops", "entropy", "no loops");
  for (const auto& [name, sums] : summary.tasks) {
    text += task_line(task_name(name), sums);
  }
  text += task_line("all", summary.all);
  text += histogram_text("output tokens of a trace", summary.all.lengths);
  text += shares_by_task(summary, &TraceSums::lengths);
  text += histogram_text("entropy of an output token, in nats", summary.all.entropies);
  text += shares_by_task(summary, &TraceSums::entropies);
  return text + dataset_table(summary);
}

}  // namespace outrider::data
