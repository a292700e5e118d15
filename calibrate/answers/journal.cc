#include "calibrate/answers/journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

namespace outrider::calibrate {
namespace {

using Entry = Journal::Entry;

// An entry is the number of its values, the values, and the hash of both.
constexpr std::size_t kFrame = 2;

std::int32_t check_of(std::span<const std::int32_t> values) {
  Hasher hasher;
  hasher.add(std::as_bytes(values));
  return static_cast<std::int32_t>(hasher.low() & 0x7fffffff);
}

Entry framed(const Entry& entry) {
  Entry all = {static_cast<std::int32_t>(entry.size())};
  all.insert(all.end(), entry.begin(), entry.end());
  all.push_back(check_of(all));
  return all;
}

Entry read_numbers(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return {};
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Entry numbers(bytes.size() / sizeof(std::int32_t));
  std::copy_n(bytes.data(), numbers.size() * sizeof(std::int32_t),
              reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

/// Moves entries from the front of `numbers` up to the first incomplete one.
std::vector<Entry> take_entries(std::span<const std::int32_t>& numbers) {
  std::vector<Entry> entries;
  while (!numbers.empty() && numbers[0] >= 0) {
    const std::size_t size = static_cast<std::size_t>(numbers[0]) + kFrame;
    if (size > numbers.size()) break;
    const auto frame = numbers.first(size);
    if (frame.back() != check_of(frame.first(size - 1))) break;
    entries.emplace_back(frame.begin() + 1, frame.end() - 1);
    numbers = numbers.subspan(size);
  }
  return entries;
}

Entry head_of(const std::string& work) {
  Hasher hasher;
  hasher.add_text(work);
  const std::uint64_t low = hasher.low();
  return {static_cast<std::int32_t>(low & 0x7fffffff), static_cast<std::int32_t>(low >> 33)};
}

}  // namespace

Journal::Journal(std::filesystem::path path, const std::string& work) : path_(std::move(path)) {
  std::filesystem::create_directories(std::filesystem::absolute(path_).parent_path());
  const Entry all = read_numbers(path_), head = head_of(work);
  std::span<const std::int32_t> rest = all;
  std::vector<Entry> entries = take_entries(rest);
  if (entries.empty() || entries.front() != head) {
    open(std::ios::trunc);
    append(head);
    return;
  }
  kept_.assign(std::make_move_iterator(entries.begin() + 1),
               std::make_move_iterator(entries.end()));
  std::filesystem::resize_file(path_, (all.size() - rest.size()) * sizeof(std::int32_t));
  open(std::ios::app);
}

void Journal::open(std::ios::openmode mode) {
  file_.open(path_, std::ios::binary | mode);
  if (!file_)
    throw InputError(fmt::format("{}: cannot open: {}", path_.string(), std::strerror(errno)));
}

void Journal::append(const Entry& entry) {
  const Entry frame = framed(entry);
  file_.write(reinterpret_cast<const char*>(frame.data()),
              static_cast<std::streamsize>(frame.size() * sizeof(std::int32_t)));
  file_.flush();  // of these two, errno is of the one that failed
  if (file_) return;
  throw InputError(fmt::format(
      "{}: cannot write: {}; what is done is kept there, and the same command goes on from it",
      path_.string(), std::strerror(errno)));
}

void Journal::refuse() const {
  throw InputError(
      fmt::format("{}: its contents are invalid; remove it to start over", path_.string()));
}

void Journal::remove() {
  file_.close();
  std::error_code none;
  std::filesystem::remove(path_, none);
}

}  // namespace outrider::calibrate
