#include "runtime/artifacts/acceptance_group.h"

#include <fmt/core.h>

#include <vector>

#include "runtime/artifacts/temperature_groups.h"

namespace outrider::artifacts {
namespace {

using draft::AcceptanceTable;

constexpr const char* kCells = "/cells";
/// A row of cells: source, rank, tenth, depth, offered, accepted.
constexpr std::uint64_t kColumns = 6;
constexpr std::int64_t kMostOffered = std::int64_t{1} << 50;

/// A column of a row of cells, with the values that it may have.
struct Column {
  const char* name;
  std::int64_t least, most;
};

}  // namespace

std::string acceptance_group(const std::string& method) { return "/acceptance/" + method; }

void write_acceptance(const AcceptanceByTemperature& tables, hdf5::Writer& file,
                      const std::string& group) {
  std::size_t number = 0;
  for (const auto& [temperature, table] : tables) {
    const std::string of_one = temperature_group(group, number++);
    file.add_number(of_one + "/temperature", temperature);
    std::vector<std::int64_t> cells;
    for (const AcceptanceTable::Cell& cell : table.cells())
      for (const std::int64_t value :
           {static_cast<std::int64_t>(cell.source), std::int64_t{cell.rank},
            std::int64_t{cell.tenth}, std::int64_t{cell.depth}, cell.offered, cell.accepted})
        cells.push_back(value);
    file.add<std::int64_t>(of_one + kCells, {cells.size() / kColumns, kColumns}, cells,
                           hdf5::Packing::kPacked);
  }
}

AcceptanceByTemperature read_acceptance(const ArtifactFile& file, const std::string& group) {
  const hdf5::Reader& reader = file.reader();
  AcceptanceByTemperature tables;
  for (const std::string& of_one : temperature_groups(reader, group)) {
    const std::string path = of_one + kCells;
    const auto values = reader.read<std::int64_t>(path, {hdf5::Reader::kAny, kColumns});
    AcceptanceTable& table = tables[reader.read_number<double>(of_one + "/temperature")];
    for (std::size_t at = 0; at < values.size(); at += kColumns) {
      const std::int64_t* const row = &values[at];
      const Column columns[kColumns] = {{"a source", 1, std::int64_t{draft::kSources} - 1},
                                        {"a rank", 0, AcceptanceTable::kRanks - 1},
                                        {"a tenth", 0, AcceptanceTable::kUnknownTenth},
                                        {"a depth", 1, AcceptanceTable::kDepths},
                                        {"a number offered", 1, kMostOffered},
                                        {"a number accepted", 0, row[4]}};
      for (std::size_t i = 0; i < kColumns; ++i)
        if (row[i] < columns[i].least || row[i] > columns[i].most)
          reader.refuse(path,
                        fmt::format("row {}: expected {} of {} to {}, found {}", at / kColumns,
                                    columns[i].name, columns[i].least, columns[i].most, row[i]));
      table.add(AcceptanceTable::Cell{static_cast<draft::Source>(row[0]), static_cast<int>(row[1]),
                                      static_cast<int>(row[2]), static_cast<int>(row[3]), row[4],
                                      row[5]});
    }
  }
  return tables;
}

}  // namespace outrider::artifacts
