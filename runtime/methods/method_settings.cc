#include "runtime/methods/method_settings.h"

#include <nlohmann/json.hpp>

#include "runtime/cli/decode_options.h"
#include "runtime/methods/method.h"

namespace outrider {

using Json = nlohmann::ordered_json;

Json method_settings(const DecodeOptions& options) {
  const std::set<std::string>& flags = flags_of_method(options.method);
  Json all = Json::object();
  if (flags.count("ngram") > 0) all["ngram"] = options.ngram;
  if (flags.count("query") > 0) all["query"] = options.query;
  if (flags.count("drafts") > 0) all["drafts"] = options.drafts.value_or(kDrafts);
  if (flags.count("rows") > 0) all["rows"] = options.rows;
  if (flags.count("draft-length") > 0)
    all["draft_length"] = options.draft_length.value_or(kDraftLength);
  if (flags.count("layer") > 0) all["layer"] = options.layer.value();
  if (flags.count("threshold") > 0) all["threshold"] = options.threshold.value_or(-1);
  if (flags.count("logit-weight") > 0) all["logit_weight"] = options.logit_weight.value_or(0);
  if (flags.count("branches") > 0) all["branches"] = options.branches;
  if (flags.count("heads") > 0) all["heads"] = options.heads;
  if (flags.count("aggregation") > 0)
    all["aggregation"] = options.aggregation.empty() ? "max" : options.aggregation;
  if (flags.count("artifacts") > 0)
    all["artifacts"] = options.artifact_read.empty() ? Json() : Json(options.artifact_read);
  return all;
}

}  // namespace outrider
