#include "adapters/mysql/statement.h"

#include <fmt/format.h>

namespace maejin::mysql {
namespace {

MYSQL_TIME ToServerTime(Time time, enum_mysql_timestamp_type type) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  MYSQL_TIME out{};
  out.year = static_cast<unsigned>(static_cast<int>(date.year()));
  out.month = static_cast<unsigned>(date.month());
  out.day = static_cast<unsigned>(date.day());
  out.hour = static_cast<unsigned>(clock.hours().count());
  out.minute = static_cast<unsigned>(clock.minutes().count());
  out.second = static_cast<unsigned>(clock.seconds().count());
  out.second_part = static_cast<unsigned long>(clock.subseconds().count()) * 1000;
  out.time_type = type;
  return out;
}

Date ToDate(const MYSQL_TIME& time) {
  return Date{std::chrono::year{static_cast<int>(time.year)}, std::chrono::month{time.month},
              std::chrono::day{time.day}};
}

Time ToTime(const MYSQL_TIME& time) {
  return Time{std::chrono::sys_days{ToDate(time)}} + std::chrono::hours{time.hour} +
         std::chrono::minutes{time.minute} + Seconds{time.second} + Millis{time.second_part / 1000};
}

bool IsInteger(enum_field_types type) {
  return type == MYSQL_TYPE_TINY || type == MYSQL_TYPE_SHORT || type == MYSQL_TYPE_INT24 ||
         type == MYSQL_TYPE_LONG || type == MYSQL_TYPE_LONGLONG || type == MYSQL_TYPE_YEAR ||
         type == MYSQL_TYPE_DECIMAL || type == MYSQL_TYPE_NEWDECIMAL || type == MYSQL_TYPE_NULL;
}

bool IsInstant(enum_field_types type) {
  return type == MYSQL_TYPE_DATETIME || type == MYSQL_TYPE_TIMESTAMP || type == MYSQL_TYPE_DATE;
}

}  // namespace

Statement::Statement(st_mysql* handle, std::string_view sql)
    : sql_(sql), statement_(mysql_stmt_init(handle)) {
  if (!statement_) throw std::bad_alloc();
  const my_bool yes = 1;
  mysql_stmt_attr_set(statement_.get(), STMT_ATTR_UPDATE_MAX_LENGTH, &yes);
  if (mysql_stmt_prepare(statement_.get(), sql_.data(), sql_.size()) != 0) Fail("prepare");
}

void Statement::Bind(const Value& value, MYSQL_BIND& bind, Parameter& parameter) {
  using Kind = Value::Kind;
  bind.buffer = &parameter.time;
  switch (value.kind_) {
    case Kind::kNull:
      bind.buffer_type = MYSQL_TYPE_NULL;
      return;
    case Kind::kInt:
      parameter.number = value.number_;
      bind.buffer_type = MYSQL_TYPE_LONGLONG;
      bind.buffer = &parameter.number;
      return;
    case Kind::kTime:
      parameter.time = ToServerTime(TimeFromMillis(value.number_), MYSQL_TIMESTAMP_DATETIME);
      bind.buffer_type = MYSQL_TYPE_DATETIME;
      return;
    case Kind::kDate:
      parameter.time = ToServerTime(TimeFromMillis(value.number_), MYSQL_TIMESTAMP_DATE);
      bind.buffer_type = MYSQL_TYPE_DATE;
      return;
    case Kind::kText:
    case Kind::kBytes:
      parameter.length = value.text_.size();
      bind.buffer_type = value.kind_ == Kind::kText ? MYSQL_TYPE_STRING : MYSQL_TYPE_BLOB;
      bind.buffer = const_cast<char*>(value.text_.data());
      bind.buffer_length = value.text_.size();
      bind.length = &parameter.length;
      return;
  }
}

std::int64_t Statement::Execute(const Value* values, std::size_t count) {
  if (mysql_stmt_param_count(statement_.get()) != count) {
    throw std::logic_error(fmt::format("{} parameters given to: {}", count, sql_));
  }
  std::vector<MYSQL_BIND> binds(count);
  std::vector<Parameter> parameters(count);
  for (std::size_t i = 0; i < count; ++i) Bind(values[i], binds[i], parameters[i]);
  if (count != 0 && mysql_stmt_bind_param(statement_.get(), binds.data())) Fail("bind");
  if (mysql_stmt_execute(statement_.get()) != 0) Fail("execute");
  return static_cast<std::int64_t>(mysql_stmt_affected_rows(statement_.get()));
}

void Statement::Store() {
  if (mysql_stmt_store_result(statement_.get()) != 0) Fail("read the answer of");
  BindColumns();
}

// Binds numbers as 64 bits and instants as fields. Other columns are bytes, with a buffer for the longest
// value of the answer.
void Statement::BindColumns() {
  const std::unique_ptr<MYSQL_RES, decltype(&mysql_free_result)> meta(
      mysql_stmt_result_metadata(statement_.get()), &mysql_free_result);
  if (!meta) Fail("describe");
  const auto count = mysql_num_fields(meta.get());
  columns_.resize(count);
  std::vector<MYSQL_BIND> binds(count);
  for (unsigned i = 0; i < count; ++i) {
    const auto* field = mysql_fetch_field_direct(meta.get(), i);
    auto& column = columns_[i];
    column.bind = {};
    column.bind.is_null = &column.null;
    column.bind.length = &column.length;
    if (IsInteger(field->type)) {
      column.bind.buffer_type = MYSQL_TYPE_LONGLONG;
      column.bind.buffer = &column.number;
    } else if (IsInstant(field->type)) {
      column.bind.buffer_type = field->type;
      column.bind.buffer = &column.time;
    } else {
      column.text.resize(field->max_length + 1);
      column.bind.buffer_type = MYSQL_TYPE_STRING;
      column.bind.buffer = column.text.data();
      column.bind.buffer_length = column.text.size();
    }
    binds[i] = column.bind;
  }
  if (mysql_stmt_bind_result(statement_.get(), binds.data())) Fail("bind the answer of");
}

bool Statement::Fetch() {
  const int outcome = mysql_stmt_fetch(statement_.get());
  if (outcome == MYSQL_NO_DATA) return false;
  if (outcome != 0) Fail("fetch");
  return true;
}

void Statement::Free() { mysql_stmt_free_result(statement_.get()); }

void Statement::Fail(std::string_view doing) {
  throw MysqlError(mysql_stmt_errno(statement_.get()),
                   fmt::format("cannot {} \"{}\": {}", doing, sql_, mysql_stmt_error(statement_.get())));
}

Rows::~Rows() {
  if (statement_) statement_->Free();
}
bool Rows::Next() { return statement_->Fetch(); }
bool Rows::IsNull(unsigned column) const { return statement_->column(column).null != 0; }
std::int64_t Rows::Int(unsigned column) const {
  return IsNull(column) ? 0 : statement_->column(column).number;
}
std::string_view Rows::Text(unsigned column) const {
  const auto& cell = statement_->column(column);
  return cell.null ? std::string_view{} : std::string_view{cell.text.data(), cell.length};
}
Time Rows::At(unsigned column) const { return ToTime(statement_->column(column).time); }
Date Rows::Day(unsigned column) const { return ToDate(statement_->column(column).time); }
Id128 Rows::Id(unsigned column) const {
  Id128 id;
  const auto bytes = Text(column);
  std::memcpy(id.bytes.data(), bytes.data(), std::min(bytes.size(), id.bytes.size()));
  return id;
}
std::optional<std::int64_t> Rows::OptionalInt(unsigned column) const {
  if (IsNull(column)) return std::nullopt;
  return Int(column);
}
std::optional<Time> Rows::OptionalAt(unsigned column) const {
  if (IsNull(column)) return std::nullopt;
  return At(column);
}

}  // namespace maejin::mysql
