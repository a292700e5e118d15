#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/hdf5/writer.h"

namespace outrider::artifacts {

/// Writes the columns of a table, each with a value for each row.
template <typename Row>
class ColumnWriter {
 public:
  /// @param rows    must outlive it
  /// @param prefix  of the columns' paths
  ColumnWriter(const std::vector<Row>& rows, hdf5::Writer& file, std::string prefix)
      : rows_(rows), file_(file), prefix_(std::move(prefix)) {}

  /// @param value_of  (row) -> number
  template <typename T, typename ValueOf>
  void add(const std::string& name, const ValueOf& value_of) {
    std::vector<T> column;
    for (const Row& row : rows_) column.push_back(value_of(row));
    file_.add<T>(prefix_ + name, {column.size()}, column, hdf5::Packing::kPacked);
  }

 protected:
  const std::vector<Row>& rows_;
  hdf5::Writer& file_;
  std::string prefix_;
};

}  // namespace outrider::artifacts
