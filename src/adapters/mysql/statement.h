// A prepared statement of one connection. Only connection.cpp and statement.cpp include this file, so that no
// other file needs mysql.h.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <mariadb/mysql.h>

#include "adapters/mysql/connection.h"

namespace maejin::mysql {

class Statement {
 public:
  Statement(st_mysql* handle, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  std::string_view sql() const { return sql_; }
  // Sends the statement; returns the number of matched rows.
  std::int64_t Execute(const Value* values, std::size_t count);
  // After Execute: fetches the whole answer from the server.
  void Store();
  bool Fetch();
  void Free();

  struct Column {
    MYSQL_BIND bind{};
    std::int64_t number = 0;
    MYSQL_TIME time{};
    std::vector<char> text;
    unsigned long length = 0;
    my_bool null = 0;
  };
  const Column& column(unsigned index) const { return columns_.at(index); }

 private:
  struct Close {
    void operator()(MYSQL_STMT* statement) const { mysql_stmt_close(statement); }
  };
  struct Parameter {
    std::int64_t number = 0;
    MYSQL_TIME time{};
    unsigned long length = 0;
  };

  void Bind(const Value& value, MYSQL_BIND& bind, Parameter& parameter);
  void BindColumns();
  [[noreturn]] void Fail(std::string_view doing);

  std::string sql_;
  std::unique_ptr<MYSQL_STMT, Close> statement_;
  std::deque<Column> columns_;  // a deque: bound addresses must not move
};

}  // namespace maejin::mysql
