#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "runtime/serve/api.h"

namespace outrider::serve {

/// What there is once the model is loaded.
struct Api::Open {
  ApiOptions options;
  session::Session& session;
  Scheduler& scheduler;
  ServerMetrics& metrics;
  ServerIdentity identity;
  std::string model_hash;
  std::size_t longest_piece;
  std::unique_ptr<ConstraintMaker> constraints;

  const inference::Target& target() const { return std::as_const(session).target(); }
};

/// What a path does.
struct Api::Route {
  const char* method;
  std::string path;
  bool needs_model;
  std::function<void(Api&, const HttpRequest&, const std::shared_ptr<Reply>&)> answer;
};

}  // namespace outrider::serve
