#include "runtime/base/watched_memory.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace outrider {
namespace {

constexpr std::size_t kMostFiles = 512;
constexpr std::size_t kMostBytes = 4096;  // of a file's name

// Read by a signal handler: no locks, no memory from the heap.
struct Place {
  std::atomic<bool> taken = false;
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;  // 0: not watched
  std::array<char, kMostBytes> file = {};
};

Place* places() {
  static std::array<Place, kMostFiles> all;
  return all.data();
}

std::array<char, 64> program_name = {};

template <std::size_t N>
void copy_name(std::string_view name, std::array<char, N>& to) {
  const std::size_t length = std::min(name.size(), N - 1);
  std::memcpy(to.data(), name.data(), length);
  to[length] = '\0';
}

void write_part(const char* text) {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);  // there is nobody left to tell
}

void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (std::size_t i = 0; i < kMostFiles; ++i) {
    const Place& place = places()[i];
    if (address < place.begin || address >= place.end) continue;
    write_part(program_name.data());
    write_part(": ");
    write_part(place.file.data());
    write_part(
        ": was cut or replaced while it was read (expected a file that stays as it is); start "
        "again when it is complete\n");
    ::_exit(2);
  }
  ::signal(signal, SIG_DFL);  // the instruction is tried again, and ends the program as usual
}

}  // namespace

WatchedMemory::WatchedMemory(std::span<const std::byte> memory, const std::string& file)
    : place_(-1) {
  for (std::size_t i = 0; i < kMostFiles; ++i) {
    Place& place = places()[i];
    if (place.taken.exchange(true)) continue;
    copy_name(file, place.file);
    place.begin = reinterpret_cast<std::uintptr_t>(memory.data());
    place.end = reinterpret_cast<std::uintptr_t>(memory.data() + memory.size());
    place_ = static_cast<int>(i);
    return;
  }
}

WatchedMemory::~WatchedMemory() {
  if (place_ < 0) return;
  Place& place = places()[place_];
  place.end = 0;
  place.taken = false;
}

void report_lost_memory(const std::string& program) {
  copy_name(program, program_name);
  places();  // made before any signal
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace outrider
