#include <fmt/core.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/device_check/check.h"
#include "tests/device_check/program_output.h"

namespace outrider::device_check {
namespace {

struct Texts {
  std::vector<std::vector<int>> tokens;  // of each prompt's text
  double seconds = 0;                    // of decoding
  std::size_t count() const {
    std::size_t all = 0;
    for (const auto& text : tokens) all += text.size();
    return all;
  }
};

Texts decode(const Settings& settings, const std::string& device, const std::string& method) {
  const std::filesystem::path json = std::filesystem::temp_directory_path() /
                                     fmt::format("device_check_{}_{}.jsonl", method, getpid());
  std::string command = fmt::format(
      "{} decode -m {} --prompts {} --limit {} -n {} --method {} --device {} --json {}",
      quoted(settings.runtime), quoted(settings.model), quoted(settings.prompts),
      settings.tiny ? 2 : 40, settings.tiny ? 8 : 96, method, device, quoted(json.string()));
  // Plain decoding takes none.
  if (!settings.artifacts.empty() && method != "ar")
    command += " --artifacts " + quoted(settings.artifacts);
  const ProgramOutput said = output_of(command);
  if (said.status != 0)
    throw std::runtime_error(fmt::format("{}: status {}\n{}", command, said.status, said.text));
  Texts texts;
  std::ifstream file(json);
  for (std::string line; std::getline(file, line);) {
    const auto record = nlohmann::json::parse(line);
    texts.tokens.push_back(record.at("output_tokens"));
    texts.seconds += record.at("decode_seconds").get<double>();
  }
  file.close();
  std::filesystem::remove(json);
  return texts;
}

}  // namespace

void compare_texts(Check& check) {
  const Settings& settings = check.settings;
  const Texts expected = decode(settings, "cpu", "ar");
  const std::string device =
      settings.emulated ? "cuda-emulated" : fmt::format("cuda:{}", settings.card);
  Json& found = check.found["texts"];
  for (const char* method : {"ar", "ssd", "pld-plus-h", "parallelspec-eagle"}) {
    try {
      const Texts texts = decode(settings, device, method);
      std::size_t equal = 0;
      for (std::size_t i = 0; i < expected.tokens.size() && i < texts.tokens.size(); ++i)
        equal += expected.tokens[i] == texts.tokens[i] ? 1 : 0;
      const double speed = static_cast<double>(texts.count()) / texts.seconds;
      found.push_back({{"method", method},
                       {"texts", expected.tokens.size()},
                       {"equal", equal},
                       {"tokens", texts.count()},
                       {"tokens_per_second", speed}});
      Check::say(fmt::format("texts, {}: {} of {} equal the processor's, {:.0f} tokens/s", method,
                             equal, expected.tokens.size(), speed));
      if (equal != expected.tokens.size() || equal == 0)
        check.fail(fmt::format("texts, {}: {} of {} equal", method, equal, expected.tokens.size()));
    } catch (const std::exception& error) {
      check.fail(fmt::format("texts, {}: {}", method, error.what()));
    }
  }
}

}  // namespace outrider::device_check
