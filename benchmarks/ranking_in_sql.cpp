#include "benchmarks/ranking_in_sql.h"

#include <ctime>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "adapters/embedded/progress_boards.h"
#include "adapters/embedded/sqlite.h"
#include "base/key_ring.h"
#include "domain/waiting_room/line.h"
#include "domain/waiting_room/place_token.h"

namespace maejin::bench {
namespace {

using embedded::Connection;

constexpr int kAsked = 64;
constexpr std::int64_t kDays = 1000;

void Tell(const char* question, double ours_us, double sql_us, const char* hoped) {
  fmt::print("{:<34} {:>10.3f} us {:>12.3f} us {:>9.1f} x   ({})\n", question, ours_us, sql_us,
             sql_us / ours_us, hoped);
}

void Check(bool same, const char* question) {
  if (!same) throw std::runtime_error(fmt::format("{}: SQL and maejin give different answers", question));
}

std::string TokenText(const KeyRing& keys, std::int64_t number) {
  std::string text;
  AppendPlaceToken(keys, {"main", fmt::format("fan{}", number), static_cast<PlaceNumber>(number), 1}, text);
  return text;
}

KeyRing MakeKeys() {
  auto keys = std::make_unique<KeyRing::Keys>();
  keys->macs.push_back({1, HmacSha256("benchmark")});
  keys->signers.push_back(SigningKey::Generate());
  keys->signer_ids.push_back(keys->signers.back().KeyId());
  return KeyRing(std::move(keys));
}

// In memory like the structures: no disk, no network, prepared statements, one covering index each.
Connection MakeTables(std::int64_t rows, const KeyRing& keys) {
  Connection connection(":memory:");
  connection.Execute(
      "CREATE TABLE waiting (number INTEGER PRIMARY KEY);"
      "CREATE TABLE token (token TEXT PRIMARY KEY, user TEXT NOT NULL, number INTEGER NOT NULL) WITHOUT "
      "ROWID;"
      "CREATE TABLE progress (concert_date TEXT PRIMARY KEY, reserved INTEGER NOT NULL) WITHOUT ROWID;"
      "CREATE INDEX progress_by_seats ON progress (reserved DESC, concert_date);"
      "BEGIN");
  auto waiting = connection.Prepare("INSERT INTO waiting VALUES (?)");
  auto token = connection.Prepare("INSERT INTO token VALUES (?, ?, ?)");
  for (std::int64_t number = 1; number <= rows; ++number) {
    if (number % 10 != 0) waiting.Bind(1, number).Run();  // every tenth place has ended
    const auto text = TokenText(keys, number);
    const auto user = fmt::format("fan{}", number);
    token.Bind(1, text).Bind(2, user).Bind(3, number).Run();
  }
  connection.Execute("COMMIT");
  return connection;
}

void Position(Connection& tables, std::int64_t rows, const std::vector<std::int64_t>& asked) {
  Line line;
  for (std::int64_t number = 0; number <= rows; ++number) line.Set(static_cast<Line::Index>(number));
  for (std::int64_t number = 0; number <= rows; number += 10) line.Clear(static_cast<Line::Index>(number));
  auto ahead = tables.Prepare("SELECT count(*) FROM waiting WHERE number < ?");
  const auto in_sql = [&](std::int64_t number) {
    ahead.Bind(1, number).Step();
    const auto count = ahead.Int(0);
    ahead.Reset();
    return count;
  };
  for (const auto number : asked)
    Check(in_sql(number) == line.Rank(static_cast<Line::Index>(number)), "position");
  std::uint64_t sum = 0;
  const auto ours = BestMicros(3, 100'000, [&](int i) {
    sum += line.Rank(static_cast<Line::Index>(asked[static_cast<std::size_t>(i % kAsked)]));
  });
  const auto sql = BestMicros(3, kAsked, [&](int i) {
    sum += static_cast<std::uint64_t>(in_sql(asked[static_cast<std::size_t>(i)]));
  });
  Check(sum > 0, "position");
  Tell("position of one who waits", ours, sql, "hoped for: 50 x");
}

void TokenCheck(Connection& tables, const KeyRing& keys, const std::vector<std::int64_t>& asked) {
  std::vector<std::string> tokens;
  for (const auto number : asked) tokens.push_back(TokenText(keys, number));
  auto row = tables.Prepare("SELECT user, number FROM token WHERE token = ?");
  const auto in_sql = [&](const std::string& text) {
    row.Bind(1, text);
    const auto number = row.Step() ? row.Int(1) : 0;
    row.Reset();
    return number;
  };
  const auto read = [&](const std::string& text) -> std::int64_t {
    PlaceToken token;
    return token.Read(keys, text) ? static_cast<std::int64_t>(token.place().number) : 0;
  };
  for (const auto& text : tokens) Check(in_sql(text) == read(text) && read(text) > 0, "token");
  std::int64_t sum = 0;
  const auto ours =
      BestMicros(3, 20'000, [&](int i) { sum += read(tokens[static_cast<std::size_t>(i % kAsked)]); });
  const auto sql =
      BestMicros(3, 20'000, [&](int i) { sum += in_sql(tokens[static_cast<std::size_t>(i % kAsked)]); });
  Check(sum > 0, "token");
  Tell("check of a token", ours, sql, "hoped for: 30 x");
}

void TopTen(Connection& tables, std::int64_t rows) {
  const Time now = *ParseTime("2026-01-02T12:00:00Z");
  embedded::ProgressBoards boards(*TimeZone::Find("Asia/Seoul"), now);
  std::mt19937_64 chance(7);
  std::vector<std::int64_t> reserved(kDays, 1);
  for (std::int64_t i = 0; i < rows; ++i) ++reserved[chance() % kDays];
  auto add = tables.Prepare("INSERT INTO progress VALUES (?, ?)");
  for (std::int64_t day = 0; day < kDays; ++day) {
    const Date date = embedded::DateOfMember(20'000 + day);
    const auto text = FormatDate(date);
    add.Bind(1, text).Bind(2, reserved[static_cast<std::size_t>(day)]).Run();
    boards.Change({day + 1, date, reserved[static_cast<std::size_t>(day)], now});
  }
  auto best = tables.Prepare(
      "SELECT concert_date, reserved FROM progress ORDER BY reserved DESC, concert_date LIMIT 10");
  const auto in_sql = [&](std::vector<std::pair<Date, std::int64_t>>& top) {
    top.clear();
    while (best.Step()) top.emplace_back(*ParseDate(best.Text(0)), best.Int(1));
    best.Reset();
  };
  const auto from_board = [&](std::vector<std::pair<Date, std::int64_t>>& top) {
    top.clear();
    for (const auto& entry : boards.Find({BoardId::kProgressAll, {}})->entries().first(10))
      top.emplace_back(embedded::DateOfMember(entry.member), entry.reserved);
  };
  std::vector<std::pair<Date, std::int64_t>> from_sql;
  std::vector<std::pair<Date, std::int64_t>> ours;
  in_sql(from_sql);
  from_board(ours);
  Check(from_sql == ours, "top ten");
  const auto ours_us = BestMicros(3, 100'000, [&](int) { from_board(ours); });
  const auto sql_us = BestMicros(3, 10'000, [&](int) { in_sql(from_sql); });
  Tell("top ten of the dates", ours_us, sql_us, "hoped for: 100 x");
}

}  // namespace

double ThreadMicros() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

void CompareWithSql(std::int64_t rows) {
  const auto keys = MakeKeys();
  auto tables = MakeTables(rows, keys);
  std::mt19937_64 chance(3);
  std::vector<std::int64_t> asked;
  while (asked.size() < kAsked) {
    const auto number = 1 + static_cast<std::int64_t>(chance() % static_cast<std::uint64_t>(rows));
    if (number % 10 != 0) asked.push_back(number);
  }
  fmt::print("\n{:<34} {:>13} {:>15} {:>11}\n", fmt::format("against SQL in memory, {} rows", rows), "maejin",
             "SQL", "faster");
  Position(tables, rows, asked);
  TokenCheck(tables, keys, asked);
  TopTen(tables, rows);
}

}  // namespace maejin::bench
