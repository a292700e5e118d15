#include "runtime/commands/engine_report_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "runtime/base/json_text.h"

namespace outrider {
namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const cost::Spread& spread) {
  return {{"median", spread.median}, {"low", spread.low}, {"high", spread.high}};
}

std::string split_text(const cost::PassSplit& split) {
  const auto& seconds = split.times.seconds;
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  std::string text = fmt::format("{:>7} {:>7} {:>5}", split.threads, split.context, split.rows);
  for (const double part : seconds) text += fmt::format(" {:>13.0f}%", 100 * part / all);
  return text + "\n";
}

}  // namespace

std::string report_text(const EngineReportHead& head, const cost::EngineReport& report) {
  std::string text =
      fmt::format("model     {}\nmachine   {}\nengine    {}, {}\nweights   {:.1f} MB\n", head.model,
                  head.place.name, head.numerics, head.place.unit,
                  static_cast<double>(head.weight_bytes) / 1e6);
  for (const auto& [threads, rate] : report.bandwidths)
    text += fmt::format("memory    {:.1f} GB/s read by {} threads\n", rate / 1e9, threads);
  for (const auto& [threads, rate] : report.product_rates)
    text += fmt::format("products  {:.0f} billion multiply-adds/s in 8 bits by {} threads\n",
                        rate / 1e9, threads);
  text +=
      "\nA pass: milliseconds (and the tenth and ninetieth percentile), its cost in one-row "
      "passes,\n"
      "the bytes it reads, its limit (the time to read them or to multiply at these rates, the\n"
      "longer one), and the share of that limit reached.\n"
      "threads context  rows        ms  (spread)          x one row  per row       MB  limit ms  "
      "of limit\n";
  for (const cost::PassCost& p : report.passes)
    text += fmt::format(
        "{:>7} {:>7} {:>5} {:>9.3f}  ({:.3f}-{:.3f}) {:>12.2f} {:>8.3f} {:>8.1f} {:>9} {:>9}\n",
        p.threads, p.context, p.rows, p.seconds.median * 1e3, p.seconds.low * 1e3,
        p.seconds.high * 1e3, p.ratio_to_one_row, p.seconds.median * 1e3 / p.rows,
        static_cast<double>(p.bytes) / 1e6,
        p.limit_seconds ? fmt::format("{:.3f}", *p.limit_seconds * 1e3) : "-",
        p.share_of_limit() ? fmt::format("{:.0f}%", 100 * *p.share_of_limit()) : "-");
  text +=
      "\nPrefill, and what its products with weights take of the rate above\n"
      "threads   depth  tokens  tokens/s  (spread)    of products\n";
  for (const cost::PrefillCost& p : report.prefills)
    text += fmt::format(
        "{:>7} {:>7} {:>7} {:>9.0f}  ({:.0f}-{:.0f}) {:>12}\n", p.threads, p.depth, p.tokens,
        p.tokens_per_second.median, p.tokens_per_second.low, p.tokens_per_second.high,
        p.share_of_products ? fmt::format("{:.0f}%", 100 * *p.share_of_products) : "-");
  text += "\nWhere the time goes\nthreads context  rows";
  for (const char* name : engine::StepTimes::kNames) text += fmt::format(" {:>14}", name);
  text += "\n";
  for (const cost::PassSplit& split : report.splits) text += split_text(split);
  if (head.interrupted) text += "interrupted: fewer rounds than requested\n";
  return text;
}

std::string report_json(const EngineReportHead& head, const cost::EngineReport& report) {
  Json json = {{"model", head.model},
               {"machine", head.place.name},
               {"device", head.place.device()},
               {"numerics", head.numerics},
               {"isa", head.place.unit},
               {"weight_bytes", head.weight_bytes},
               {"interrupted", head.interrupted}};
  for (const auto& [threads, rate] : report.bandwidths)
    json["bandwidth"].push_back({{"threads", threads}, {"bytes_per_second", rate}});
  for (const auto& [threads, rate] : report.product_rates)
    json["product_rate"].push_back({{"threads", threads}, {"multiply_adds_per_second", rate}});
  for (const cost::PassCost& p : report.passes) {
    Json& pass = json["passes"].emplace_back(Json{{"threads", p.threads},
                                                  {"context", p.context},
                                                  {"rows", p.rows},
                                                  {"seconds", spread_json(p.seconds)},
                                                  {"bytes", p.bytes},
                                                  {"products", p.products}});
    if (p.limit_seconds) {
      pass["limit_seconds"] = *p.limit_seconds;
      pass["share_of_limit"] = *p.share_of_limit();
    }
    pass["ratio_to_one_row"] = p.ratio_to_one_row;
  }
  for (const cost::PrefillCost& p : report.prefills) {
    Json& prefill =
        json["prefill"].emplace_back(Json{{"threads", p.threads},
                                          {"depth", p.depth},
                                          {"tokens", p.tokens},
                                          {"tokens_per_second", spread_json(p.tokens_per_second)}});
    if (p.share_of_products) prefill["share_of_products"] = *p.share_of_products;
  }
  for (const cost::PassSplit& split : report.splits) {
    Json seconds;
    for (std::size_t i = 0; i < engine::StepTimes::kSteps; ++i)
      seconds[engine::StepTimes::kNames[i]] = split.times.seconds[i];
    json["split"].push_back({{"threads", split.threads},
                             {"context", split.context},
                             {"rows", split.rows},
                             {"seconds", seconds}});
  }
  return json_text(json, 2) + "\n";
}

}  // namespace outrider
