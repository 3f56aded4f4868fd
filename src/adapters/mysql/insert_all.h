// Inserts any number of rows with few different statements.
#pragma once

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/mysql/pool.h"

namespace maejin::mysql {

// Inserts all rows. Up to Pool::kMostTogether rows need one statement. More rows are split into statements
// of 1, 2, 4, 8 … rows, so that few different statements are prepared. `marks` has the
// placeholders of one row: "(?, ?)". `values_of(row, values)` appends the values of a row.
template <class Row, class ValuesOf>
void InsertAll(Connection& connection, std::string_view head, std::string_view marks,
               const std::vector<Row*>& rows, const ValuesOf& values_of) {
  for (std::size_t done = 0; done < rows.size();) {
    std::string sql(head);
    std::vector<Value> values;
    const auto left = rows.size() - done;
    const auto end = done + (left <= Pool::kMostTogether ? left : std::bit_floor(left));
    for (; done < end; ++done) {
      if (!values.empty()) sql += ", ";
      sql += marks;
      values_of(*rows[done], values);
    }
    connection.ExecuteValues(sql, values);
  }
}

}  // namespace maejin::mysql
