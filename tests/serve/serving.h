#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/inference/generation.h"
#include "runtime/methods/list.h"
#include "runtime/serve/server.h"
#include "tests/methods/calibrated_target.h"
#include "tests/serve/socket_client.h"
#include "tests/support/temporary_folder.h"

namespace outrider::test {

/// A server of a tiny model with artifacts for every method.
class Serving {
 public:
  /// @param change  made to the options
  explicit Serving(const std::function<void(serve::ServerOptions&)>& change = [](auto&) {}) {
    serve::ServerOptions options;
    options.api.cache_folder = cache_folder();
    options.http.port = 0;
    options.api.model = "tiny";
    options.api.default_method = "pld";
    options.api.rules.speculation.names = methods::names_of(methods::all_methods());
    options.api.rules.speculation.new_method = [this](const std::string& name) {
      return calibrated_.method(name);
    };
    options.api.quiet = true;
    change(options);
    server_.emplace(std::move(options));
    open();
  }
  ~Serving() { server_.reset(); }

  serve::Server& server() { return *server_; }
  std::filesystem::path cache_folder() const { return cache_.path(); }
  int port() const { return server_->port(); }
  /// The target that texts are compared with, which is not the server's.
  inference::Target& target() { return calibrated_.target(); }

  /// What `runtime decode -p` makes of these tokens, by plain decoding.
  inference::GeneratedText plain(const std::vector<Token>& prompt,
                                 const inference::GenerationOptions& options, int sample = 1,
                                 int turn = 1) {
    inference::Generation generation(target(), options, target().context(), nullptr);
    return generation.generate({"prompt", "", turn, sample}, prompt);
  }
  /// The tokens of a message, as `runtime decode -p` encodes it.
  std::vector<Token> asked(const std::string& message) {
    return inference::Dialogue(target()).ask(message);
  }

  Received get(const std::string& path) const { return test::get(port(), path); }
  Received post(const std::string& path, const nlohmann::json& body) const {
    return test::post(port(), path, body);
  }
  Received chat(const std::string& message, nlohmann::json more = nlohmann::json::object()) const {
    more["messages"] = {{{"role", "user"}, {"content", message}}};
    return post("/v1/chat/completions", more);
  }

 private:
  void open() {
    const auto plain = methods::new_method("ar");
    // One thread: on a busy machine two wait for each other at every step of these tiny passes.
    inference::TargetOptions of_target = {.model = calibrated_.target().options().model};
    of_target.engine.threads = 1;
    session_.emplace(session::SessionOptions{.target = of_target, .method = *plain});
    server_->open(*session_);
  }

  TemporaryFolder cache_;
  CalibratedTarget calibrated_;
  std::optional<session::Session> session_;
  std::optional<serve::Server> server_;
};

}  // namespace outrider::test
