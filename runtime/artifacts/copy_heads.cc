#include "runtime/artifacts/copy_heads.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace outrider::artifacts {
namespace {

constexpr std::size_t kMaxTasks = 1 << 16;

std::uint64_t length(int number) { return static_cast<std::uint64_t>(number); }

/// One line each.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

/// A head that the model has, for each of [layers * heads].
void check_ranking(const hdf5::Reader& file, const std::string& path, const CopyHeads& found) {
  for (std::size_t i = 0; i < found.ranking.size(); i += 2) {
    const std::int32_t layer = found.ranking[i], head = found.ranking[i + 1];
    if (layer < 1 || layer > found.layers || head < 0 || head >= found.heads)
      file.refuse(path, "names a head that is not there");
  }
}

/// [count] The places in [layers * heads] with the most hits in one half, ascending.
std::vector<int> best_heads(const CopyHeads& found, std::size_t half, int count) {
  const std::size_t all = length(found.layers) * length(found.heads);
  std::vector<std::int64_t> sums(all, 0);
  const std::size_t first = half * found.tasks.size() * all;
  for (std::size_t i = 0; i < found.tasks.size() * all; ++i) sums[i % all] += found.hits[first + i];
  std::vector<int> order = ranked_by_hits(sums);
  order.resize(length(count));
  std::sort(order.begin(), order.end());
  return order;
}

/// Their places, the largest first; the first among equals.
template <typename Number>
std::vector<int> largest_first(std::span<const Number> numbers) {
  std::vector<int> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return numbers[static_cast<std::size_t>(a)] > numbers[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace

std::vector<int> ranked_by_hits(std::span<const std::int64_t> hits) { return largest_first(hits); }

std::vector<int> ranked_by_hits(std::span<const double> shares) { return largest_first(shares); }

std::vector<double> hit_shares(const CopyHeads& found, std::optional<std::size_t> task) {
  const std::size_t heads = static_cast<std::size_t>(found.layers * found.heads);
  std::vector<double> shares(heads, 0.0);
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < found.tokens.size(); ++i) {  // [half, task]
    if (task && i % found.tasks.size() != *task) continue;
    tokens += found.tokens[i];
    for (std::size_t h = 0; h < heads; ++h)
      shares[h] += static_cast<double>(found.hits[i * heads + h]);
  }
  for (double& share : shares) share /= static_cast<double>(std::max<std::int64_t>(1, tokens));
  return shares;
}

int heads_compared(const CopyHeads& found) {
  return std::max(1, std::min(50, found.layers * found.heads / 2));
}

int heads_in_common(const CopyHeads& found, int count) {
  const std::vector<int> one = best_heads(found, 0, count), other = best_heads(found, 1, count);
  std::vector<int> common;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(common));
  return static_cast<int>(common.size());
}

void write_copy_heads(const CopyHeads& found, hdf5::Writer& file, const std::string& group) {
  const std::uint64_t layers = length(found.layers), heads = length(found.heads);
  const std::uint64_t tasks = found.tasks.size();
  file.add_number<std::int32_t>(group + "/layers", found.layers);
  file.add_number<std::int32_t>(group + "/heads", found.heads);
  file.add_text(group + "/tasks", joined(found.tasks));
  file.add<std::int64_t>(group + "/tokens", {2, tasks}, found.tokens, hdf5::Packing::kPlain);
  file.add<std::int64_t>(group + "/hits", {2, tasks, layers, heads}, found.hits,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/hit_shares", {layers, heads}, hit_shares(found),
                   hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/ranking", {layers * heads, 2}, found.ranking,
                         hdf5::Packing::kPlain);
  const int compared = heads_compared(found);
  file.add_number<std::int32_t>(group + "/halves/compared", compared);
  file.add_number<std::int32_t>(group + "/halves/in_common", heads_in_common(found, compared));
  file.add<std::int32_t>(group + "/sweep_heads", {found.sweep_heads.size()}, found.sweep_heads,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/sweep", {found.sweep_heads.size(), 2}, found.sweep,
                   hdf5::Packing::kPlain);
  file.add<double>(group + "/layer_sweep", {layers, 2}, found.layer_sweep, hdf5::Packing::kPlain);
  file.add_number<std::int32_t>(group + "/draft_length", found.draft_length);
  file.add_number<std::int32_t>(group + "/chosen", found.chosen);
  file.add_text(group + "/aggregation", found.aggregation);
  write_copy_settings(found.settings, file, group);
  file.add<double>(group + "/sweep_at", {found.settings.size(), found.sweep_heads.size(), 2},
                   found.sweep_at, hdf5::Packing::kPlain);
}

CopyHeads read_copy_heads(const hdf5::Reader& file, const std::string& group) {
  CopyHeads found;
  found.layers = file.read_number<std::int32_t>(group + "/layers");
  found.heads = file.read_number<std::int32_t>(group + "/heads");
  constexpr int kMost = 1 << 14;
  for (const auto& [name, number] : {std::pair{"/layers", found.layers}, {"/heads", found.heads}})
    if (number < 1 || number > kMost) file.refuse(group + name, "out of range");
  const std::uint64_t layers = length(found.layers), heads = length(found.heads);
  found.tasks = split(file.read_text(group + "/tasks", kMaxTasks));
  const std::uint64_t tasks = found.tasks.size();
  found.tokens = file.read<std::int64_t>(group + "/tokens", {2, tasks});
  found.hits = file.read<std::int64_t>(group + "/hits", {2, tasks, layers, heads});
  found.ranking = file.read<std::int32_t>(group + "/ranking", {layers * heads, 2});
  check_ranking(file, group + "/ranking", found);
  found.sweep_heads = file.read<std::int32_t>(group + "/sweep_heads", {hdf5::Reader::kAny});
  found.sweep = file.read<double>(group + "/sweep", {found.sweep_heads.size(), 2});
  found.layer_sweep = file.read<double>(group + "/layer_sweep", {layers, 2});
  found.draft_length = file.read_number<std::int32_t>(group + "/draft_length");
  if (found.draft_length < 1) file.refuse(group + "/draft_length", "expected at least 1");
  found.chosen = file.read_number<std::int32_t>(group + "/chosen");
  if (found.chosen < 1 || length(found.chosen) > layers * heads)
    file.refuse(group + "/chosen", "expected a number of heads that the model has");
  found.aggregation = file.read_text(group + "/aggregation", kMaxTasks);
  if (found.aggregation != "max" && found.aggregation != "sum")
    file.refuse(group + "/aggregation", "expected max or sum");
  found.settings = read_copy_settings(file, group);
  if (file.has(group + "/sweep_at"))
    found.sweep_at = file.read<double>(group + "/sweep_at",
                                       {found.settings.size(), found.sweep_heads.size(), 2});
  return found;
}

}  // namespace outrider::artifacts
