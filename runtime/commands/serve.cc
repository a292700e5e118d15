#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/log.h"
#include "runtime/base/memory.h"
#include "runtime/base/text_file.h"
#include "runtime/base/user_cache.h"
#include "runtime/cli/artifact_folders.h"
#include "runtime/cli/cost_flags.h"
#include "runtime/cli/generation_flags.h"
#include "runtime/cli/interrupt.h"
#include "runtime/cli/method_flags.h"
#include "runtime/cli/shown_notices.h"
#include "runtime/cli/target_flags.h"
#include "runtime/commands/commands.h"
#include "runtime/methods/list.h"
#include "runtime/methods/settings.h"
#include "runtime/serve/server.h"
#include "runtime/session/session.h"

namespace outrider {
namespace {

constexpr const char* kServeExamples =
    "Requests that come together are decoded in the same passes, and each gets the text that it "
    "gets alone.\n"
    "SIGTERM or Ctrl-C ends it once the requests that run are answered; prompts are never "
    "logged.\n\n"
    "Examples:\n"
    "  runtime serve -m MODEL.gguf\n"
    "  curl http://127.0.0.1:8080/v1/chat/completions -H 'Content-Type: application/json' \\\n"
    "    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Why is the sky blue?\"}]}'\n"
    "  runtime serve -m MODEL.gguf --host 0.0.0.0 --api-key-file keys.txt\n";

/// The options of `runtime serve`.
struct ServeFlags {
  ServeFlags() { generation.sampler.temperature = 1; }

  cli::TargetFlags target;
  cli::GenerationFlags generation;
  cli::MethodFlags method{"auto"};
  cli::CostFlags costs;

  std::string alias;
  std::string host = "127.0.0.1";
  int port = 8080;
  std::string api_key;
  std::string api_key_file;
  bool no_auth = false;
  std::vector<std::string> cors_origins;
  int parallel = 8;
  int queue = 64;
  std::int64_t cache_bytes = 0;
  int max_new = 0;
  bool allow_rejection = false;
  int drain = 30;
  std::string metrics_prefix = "outrider";
  bool quiet = false;

  std::set<std::string> given;
};

std::vector<std::string> keys_of(const ServeFlags& flags) {
  constexpr std::size_t kMostKeyBytes = 1 << 20;
  std::vector<std::string> keys;
  if (flags.given.count("api-key") > 0 || !flags.api_key.empty()) {
    if (flags.api_key.empty()) throw InputError("--api-key: expected a key, found an empty text");
    keys.push_back(flags.api_key);
  }
  if (flags.api_key_file.empty()) return keys;
  const std::string text = read_text_file(flags.api_key_file, kMostKeyBytes);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string key = text.substr(begin, end - begin);
    if (key.ends_with('\r')) key.pop_back();
    if (!key.empty()) keys.push_back(std::move(key));
    begin = end + 1;
  }
  if (keys.empty())
    throw InputError(
        fmt::format("--api-key-file: {} has no key, expected one a line", flags.api_key_file));
  return keys;
}

/// The name that clients know the model by: of the file, without its kind.
std::string model_name(const ServeFlags& flags) {
  if (!flags.alias.empty()) return flags.alias;
  std::filesystem::path path = flags.target.model;
  if (!path.has_filename()) path = path.parent_path();
  return path.extension() == ".gguf" ? path.stem().string() : path.filename().string();
}

serve::ServerOptions server_options(const std::shared_ptr<ServeFlags>& flags) {
  serve::ServerOptions options;
  options.http.host = flags->host;
  options.http.port = flags->port;
  options.api.access.keys = keys_of(*flags);
  options.api.access.cors_origins = flags->cors_origins;
  options.api.model = model_name(*flags);
  options.api.default_method = flags->method.method;
  options.api.rules.speculation = {.names = methods::names_of(methods::all_methods()),
                                   .new_method =
                                       [flags](const std::string& name) {
                                         auto method = methods::new_method(name);
                                         flags->method.read(*method);
                                         return method;
                                       },
                                   .allow_rejection = flags->allow_rejection};
  options.api.most_new = flags->max_new;
  options.api.metrics_prefix = flags->metrics_prefix;
  options.api.quiet = flags->quiet;
  options.api.cache_folder = user_cache_folder();
  options.scheduler.parallel = flags->parallel;
  options.scheduler.most_waiting = flags->queue;
  options.scheduler.cache_bytes = flags->cache_bytes;
  options.no_auth = flags->no_auth;
  options.drain = std::chrono::seconds(flags->drain);
  return options;
}

void check_metrics_prefix(const std::string& prefix) {
  const bool is_name =
      !prefix.empty() &&
      prefix.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
          std::string::npos &&
      (prefix[0] < '0' || prefix[0] > '9');
  if (!is_name)
    throw InputError(fmt::format(
        "--metrics-prefix: expected letters, digits and _, no digit first, found '{}'", prefix));
}

void run_serve(const std::shared_ptr<ServeFlags>& flags) {
  const inference::TargetOptions of_target = cli::target_options(flags->target, flags->quiet);
  cli::take_own_sampling(flags->generation, flags->target.model, of_target.notices);
  inference::GenerationOptions generation = cli::generation_options(flags->generation);
  const auto method = flags->method.chosen(flags->given);
  if (method->capabilities().changes_text && !flags->allow_rejection)
    throw InputError(
        "--verify rejection: the text would depend on the drafts; give --allow-rejection too, or "
        "--verify coupled");
  check_metrics_prefix(flags->metrics_prefix);
  serve::ServerOptions options = server_options(flags);
  if (const nlohmann::ordered_json settings = methods::settings_record(*method);
      settings.contains("artifacts") && settings["artifacts"].is_string())
    options.scheduler.artifacts = settings["artifacts"];
  options.api.rules.sampler = generation.sampler;
  options.api.rules.has_seed = flags->given.count("seed") > 0 || generation.sampler.seed != 0;
  catch_interrupts();
  return_large_blocks(8 << 20);               // weights of drafters that come and go
  std::unique_ptr<session::Session> session;  // outlives the server, which is there first:
  serve::Server server(options);              // a port that is taken is told at once
  session = std::make_unique<session::Session>(
      session::SessionOptions{.target = of_target,
                              .generation = generation,
                              .method = *method,
                              .folders = cli::artifact_folders(),
                              .quick_costs = cli::quick_costs(flags->costs, flags->quiet),
                              .notices = cli::notices(flags->quiet)});
  if (interrupted()) throw Interrupted();
  server.open(*session);
  print_log("serve: {} at {}, --method {}\n", options.api.model, server.url(),
            session->method().name());
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  while (!interrupted()) std::this_thread::sleep_for(kBetweenLooks);
  if (!flags->quiet) print_log("serve: ending\n");
  server.end();
}

void declare_access_flags(cli::CommandOptions& command, ServeFlags& flags) {
  command.group("Clients");
  command.add_option("--host", flags.host,
                     "Address or name to listen on; other machines need a key, see --api-key-file");
  command.add_option("--port", flags.port, "Port to listen on; 0: any that is free")
      .check(cli::whole_number(0, 65535));
  command.add_option("--alias", flags.alias,
                     "The model's name for clients (default: that of its file)");
  command.add_option("--api-key", flags.api_key,
                     "A key that clients have to send; others on this machine can see it here");
  command.add_option("--api-key-file", flags.api_key_file, "A file of such keys, one a line")
      .type_name("FILE")
      .reads();
  command.add_flag("--no-auth", flags.no_auth, "Listen for other machines without a key");
  command
      .add_list("--cors-origins", flags.cors_origins,
                "Pages that browsers let use this server, such as https://example.org; *: all")
      .type_name("ORIGIN");
  command.add_option("--parallel", flags.parallel, "Texts that are generated at once")
      .check(cli::whole_number(1, 1024));
  command
      .add_option("--cache-bytes", flags.cache_bytes,
                  "Memory for keys and values of texts, for their drafts and for drafters that "
                  "requests ask for, half of it for texts that have ended, which later ones may "
                  "begin like; 0: half of what is free at the start, on a GPU where "
                  "it computes")
      .check(cli::whole_number(0, std::numeric_limits<std::int64_t>::max()));
  command.add_option("--queue", flags.queue, "Requests that may wait; further ones are refused")
      .check(cli::whole_number(1, 100'000));
  command.add_option("--drain", flags.drain, "Seconds for running requests when it ends")
      .check(cli::whole_number(0, 86'400));
  command.add_option("--metrics-prefix", flags.metrics_prefix, "Of the names at /metrics");
}

}  // namespace

cli::Command add_serve(CLI::App& program) {
  auto flags = std::make_shared<ServeFlags>();
  cli::CommandOptions command(program, "serve",
                              "Serve a model to clients of OpenAI's API, on this machine");
  declare_model_flag(command, flags->target.model);
  declare_access_flags(command, *flags);
  command.group("Chat");
  declare_chat_flags(command, flags->target);
  command.group("Length");
  command
      .add_option("-n,--max-new", flags->max_new,
                  "Most tokens of a text; 0: as many as the context has room for")
      .check(cli::whole_number(0, cli::kMostTokens));
  declare_context_flag(command, flags->target.context);
  command.group("Method of requests that name none; the settings are those of all requests");
  flags->method.declare_method(command);
  flags->method.declare_settings(command);
  command.add_flag("--allow-rejection", flags->allow_rejection,
                   "Permit --verify rejection, with which texts depend on the drafts");
  command.group("Sampling of requests that say nothing else");
  declare_temperature_flag(command, flags->generation);
  declare_sampler_flags(command, flags->generation);
  declare_machine_flags(command, flags->target.engine, flags->generation.prefill_chunk);
  cli::declare_cost_flags(command, flags->costs);
  command.group("Output");
  command.add_flag("--quiet", flags->quiet, "Only errors and the address on standard error");
  command.group("Options");
  command.footer(kServeExamples);
  return {command, [flags, command] {
            flags->given = command.given();
            run_serve(flags);
          }};
}

}  // namespace outrider
