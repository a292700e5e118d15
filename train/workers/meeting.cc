#include "train/workers/meeting.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::train {
namespace {

constexpr int kLastPort = 65535;

/// @param where  the flag or variable, for the message
std::uint16_t port_of(const std::string& text, const std::string& where) {
  const auto port = parse_integer(text);
  if (!port || *port < 1 || *port > kLastPort)
    throw InputError(
        fmt::format("{}: expected a port from 1 to {}, found '{}'", where, kLastPort, text));
  return static_cast<std::uint16_t>(*port);
}

Meeting automatic_meeting(const Environment& environment) {
  const auto host = environment("MASTER_ADDR"), port = environment("MASTER_PORT");
  if (!host || !port)
    throw InputError(
        "--workers auto: expected MASTER_ADDR and MASTER_PORT in the environment, the host of "
        "worker 0 and a free port there, as torchrun sets them; give --workers HOST:PORT, or a "
        "folder that all workers share");
  Meeting meeting{*host, port_of(*port, "MASTER_PORT"), {}, false, {}};
  meeting.has_server = environment("TORCHELASTIC_USE_AGENT_STORE").value_or("") == "True";
  meeting.attempt = environment("TORCHELASTIC_RESTART_COUNT").value_or("");
  return meeting;
}

}  // namespace

Meeting read_meeting(const std::string& text, const Environment& environment) {
  if (text == "auto") return automatic_meeting(environment);
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && colon > 0 && text.find('/') == std::string::npos)
    return {
        text.substr(0, colon), port_of(text.substr(colon + 1), "--workers " + text), {}, false, {}};
  if (text.empty() || text == "-")
    throw InputError(
        "--workers: expected auto, HOST:PORT of worker 0, or a folder that all workers share");
  return {{}, 0, text, false, {}};
}

}  // namespace outrider::train
