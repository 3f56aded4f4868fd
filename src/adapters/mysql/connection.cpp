#include "adapters/mysql/connection.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>
#include <mariadb/errmsg.h>
#include <mariadb/mysql.h>
#include <mariadb/mysqld_error.h>

#include "adapters/mysql/statement.h"

namespace maejin::mysql {
namespace {

// Error codes that the client's headers do not define.
constexpr unsigned kConnectionKilled = 1927;
constexpr unsigned kReadOnlyTransaction = 1792;
constexpr unsigned kReadOnlyMode = 1836;
constexpr unsigned kServerGoneDuringPrepare = 2057;

void InitializeLibraryOnce() {
  static std::once_flag once;
  std::call_once(once, [] { mysql_library_init(0, nullptr, nullptr); });
}

unsigned WholeSeconds(Millis time) { return static_cast<unsigned>((time.count() + 999) / 1000); }

void SetTls(st_mysql* handle, const ServerOptions& options) {
  const auto text = [](const std::string& file) { return file.empty() ? nullptr : file.c_str(); };
  const my_bool on = options.tls != Tls::kOff ? 1 : 0;
  const my_bool verify = options.tls == Tls::kVerify ? 1 : 0;
  if (on) {
    // Without a configured file, the certificate authorities of the system are trusted.
    const char* system_path = verify && options.tls_ca.empty() ? "/etc/ssl/certs" : nullptr;
    mysql_ssl_set(handle, text(options.tls_key), text(options.tls_cert), text(options.tls_ca), system_path,
                  nullptr);
  }
  mysql_optionsv(handle, MYSQL_OPT_SSL_ENFORCE, &on);
  mysql_optionsv(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
}

void SetOptions(st_mysql* handle, const ServerOptions& options) {
  const unsigned connect_seconds = WholeSeconds(options.connect_timeout);
  const unsigned read_seconds = WholeSeconds(options.read_timeout);
  const my_bool no = 0;
  mysql_optionsv(handle, MYSQL_OPT_CONNECT_TIMEOUT, &connect_seconds);
  mysql_optionsv(handle, MYSQL_OPT_READ_TIMEOUT, &read_seconds);
  mysql_optionsv(handle, MYSQL_OPT_WRITE_TIMEOUT, &read_seconds);
  mysql_optionsv(handle, MYSQL_OPT_RECONNECT, &no);
  mysql_optionsv(handle, MYSQL_OPT_LOCAL_INFILE, nullptr);
  mysql_optionsv(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const unsigned protocol = options.socket.empty() ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET;
  mysql_optionsv(handle, MYSQL_OPT_PROTOCOL, &protocol);
  SetTls(handle, options);
}

}  // namespace

bool MysqlError::IsConflict() const {
  return code_ == ER_LOCK_DEADLOCK || code_ == ER_LOCK_WAIT_TIMEOUT || code_ == ER_CHECKREAD;
}

bool MysqlError::IsLost() const {
  return (code_ >= CR_MIN_ERROR && code_ <= CR_MAX_ERROR && code_ != CR_OUT_OF_MEMORY) ||
         code_ == kServerGoneDuringPrepare || code_ == ER_SERVER_SHUTDOWN || code_ == kConnectionKilled ||
         code_ == ER_QUERY_INTERRUPTED || code_ == ER_CON_COUNT_ERROR ||
         code_ == ER_TOO_MANY_USER_CONNECTIONS || code_ == ER_USER_LIMIT_REACHED ||
         code_ == ER_NEW_ABORTING_CONNECTION || code_ == ER_NORMAL_SHUTDOWN;
}

bool MysqlError::IsReadOnly() const {
  return code_ == ER_OPTION_PREVENTS_STATEMENT || code_ == kReadOnlyTransaction || code_ == kReadOnlyMode ||
         code_ == ER_OPEN_AS_READONLY || code_ == ER_DISK_FULL || code_ == ER_RECORD_FILE_FULL;
}

bool MysqlError::IsDuplicate() const { return code_ == ER_DUP_ENTRY; }

void Connection::Close::operator()(st_mysql* handle) const { mysql_close(handle); }

Connection::Connection(const ServerOptions& options, std::atomic<std::uint64_t>* round_trips)
    : round_trips_(round_trips) {
  InitializeLibraryOnce();
  handle_.reset(mysql_init(nullptr));
  if (!handle_) throw std::bad_alloc();
  SetOptions(handle_.get(), options);
  const char* socket = options.socket.empty() ? nullptr : options.socket.c_str();
  const char* host = options.socket.empty() ? options.host.c_str() : nullptr;
  if (!mysql_real_connect(handle_.get(), host, options.user.c_str(), options.password.c_str(),
                          options.database.empty() ? nullptr : options.database.c_str(), options.port, socket,
                          CLIENT_FOUND_ROWS)) {
    Fail("connect to " + Redacted(options));
  }
  // The client library falls back to plain text if the server has no TLS: refuse that.
  if (options.tls != Tls::kOff && Cipher().empty()) {
    throw MysqlError(CR_SSL_CONNECTION_ERROR, "the server of " + Redacted(options) + " does not speak TLS");
  }
  SetUpSession();
}

Connection::~Connection() = default;

void Connection::SetUpSession() {
  Command("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
  Command(
      "SET SESSION autocommit = 1, time_zone = '+00:00', innodb_lock_wait_timeout = 3, sql_mode = "
      "'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION'");
  if (!IsMariaDb()) return;
  // The server ends the transaction of a node that died, and releases its locks.
  Command("SET SESSION idle_transaction_timeout = 5");
  auto known = Query("SHOW SESSION VARIABLES LIKE 'innodb_snapshot_isolation'");
  const bool has_snapshot_isolation = known.Next();
  if (has_snapshot_isolation) Command("SET SESSION innodb_snapshot_isolation = ON");
}

void Connection::CountRoundTrip() {
  if (round_trips_) round_trips_->fetch_add(1, std::memory_order_relaxed);
}

std::shared_ptr<Statement> Connection::Prepared(std::string_view sql) {
  ++statement_uses_;
  if (const auto found = statements_.find(sql); found != statements_.end()) {
    found->second.used = statement_uses_;
    return found->second.statement;
  }
  if (statements_.size() >= kMaxStatements) {
    statements_.erase(
        std::ranges::min_element(statements_, {}, [](const auto& entry) { return entry.second.used; }));
  }
  CountRoundTrip();
  auto made = std::make_shared<Statement>(handle_.get(), sql);
  statements_.emplace(made->sql(), CachedStatement{made, statement_uses_});
  return made;
}

std::int64_t Connection::ExecuteValues(std::string_view sql, const Value* values, std::size_t count) {
  const auto statement = Prepared(sql);
  CountRoundTrip();
  return statement->Execute(values, count);
}

Rows Connection::QueryValues(std::string_view sql, const Value* values, std::size_t count) {
  auto statement = Prepared(sql);
  CountRoundTrip();
  statement->Execute(values, count);
  statement->Store();
  return Rows(std::move(statement));
}

void Connection::Command(std::string_view sql) {
  CountRoundTrip();
  if (mysql_real_query(handle_.get(), sql.data(), sql.size()) != 0) Fail(sql);
  if (auto* answer = mysql_store_result(handle_.get())) mysql_free_result(answer);
}

std::int64_t Connection::LastInsertId() const {
  return static_cast<std::int64_t>(mysql_insert_id(handle_.get()));
}

std::string Connection::ServerVersion() const {
  const char* version = mysql_get_server_info(handle_.get());
  return version ? version : "";
}

std::string Connection::Cipher() const {
  const char* cipher = mysql_get_ssl_cipher(handle_.get());
  return cipher ? cipher : "";
}

void Connection::Fail(std::string_view doing) {
  throw MysqlError(mysql_errno(handle_.get()),
                   fmt::format("cannot {}: {}", doing, mysql_error(handle_.get())));
}

}  // namespace maejin::mysql
