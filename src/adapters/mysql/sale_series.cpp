#include "adapters/mysql/sale_series.h"

namespace maejin::mysql {

namespace {

// The count of expired holds before `at`. The lock makes other nodes wait that add points to the same sale.
std::int64_t ExpiredBefore(Connection& connection, ConcertId concert, Time at) {
  auto row = connection.Query(
      "SELECT expired FROM sale_series WHERE concert_id = ? AND at < ? ORDER BY at DESC LIMIT 1 FOR UPDATE",
      concert, ToMillis(at));
  return row.Next() ? row.Int(0) : 0;
}

bool IsStored(Connection& connection, ConcertId concert, Time at) {
  return connection
      .Query("SELECT 1 FROM sale_series WHERE concert_id = ? AND at = ? FOR UPDATE", concert, ToMillis(at))
      .Next();
}

void AddPoint(Connection& connection, ConcertId concert, const SalePoint& point) {
  const auto expired = ExpiredBefore(connection, concert, point.at);
  connection.Execute(
      "INSERT INTO sale_series (concert_id, at, arrivals, admissions, waiting, entered, held, sold, revenue, "
      "refused, declined, expired, p99_us) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON DUPLICATE KEY "
      "UPDATE p99_us = GREATEST(p99_us, VALUES(p99_us))",
      concert, ToMillis(point.at), point.arrivals, point.admissions, point.waiting, point.entered, point.held,
      point.sold, point.revenue, point.refused, point.declined, expired, point.p99.count());
}

}  // namespace

Task<Outcome<Done>> MysqlSaleSeries::Add(Points points) {
  auto add = [points = std::move(points)](Connection& connection, const Attempt& attempt) -> Outcome<Done> {
    for (const auto& [concert, point] : points) {
      // If the commit of the previous attempt is unknown, a stored point may include these holds already.
      const bool may_be_counted = attempt.commit_unknown && IsStored(connection, concert, point.at);
      AddPoint(connection, concert, point);
      if (point.expired == 0 || may_be_counted) continue;
      connection.Execute("UPDATE sale_series SET expired = expired + ? WHERE concert_id = ? AND at >= ?",
                         point.expired, concert, ToMillis(point.at));
    }
    return Done{};
  };
  return pool_.Write(std::move(add));
}

Task<Outcome<std::vector<SalePoint>>> MysqlSaleSeries::Read(ConcertId concert, Time after) {
  auto read = [concert, after](Connection& connection) -> Outcome<std::vector<SalePoint>> {
    std::vector<SalePoint> found;
    auto rows = connection.Query(
        "SELECT at, arrivals, admissions, waiting, entered, held, sold, revenue, refused, declined, "
        "expired, p99_us FROM sale_series WHERE concert_id = ? AND at > ? ORDER BY at",
        concert, ToMillis(after));
    while (rows.Next()) {
      found.push_back({TimeFromMillis(rows.Int(0)), rows.Int(1), rows.Int(2), rows.Int(3), rows.Int(4),
                       rows.Int(5), rows.Int(6), rows.Int(7), rows.Int(8), rows.Int(9), rows.Int(10),
                       std::chrono::microseconds{rows.Int(11)}});
    }
    return found;
  };
  return pool_.Read(std::move(read));
}

Task<Outcome<Done>> MysqlSaleSeries::Thin(Time before, Millis span) {
  auto thin = [before, span](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute(
        "DELETE a FROM sale_series a JOIN sale_series b ON b.concert_id = a.concert_id AND b.at > a.at AND "
        "b.at < (a.at DIV ? + 1) * ? WHERE a.at < ?",
        span.count(), span.count(), ToMillis(before));
    return Done{};
  };
  return pool_.Write(std::move(thin));
}

Task<Outcome<Done>> MysqlSaleSeries::Forget(Time before) {
  auto forget = [before](Connection& connection, const Attempt&) -> Outcome<Done> {
    connection.Execute("DELETE FROM sale_series WHERE at < ?", ToMillis(before));
    return Done{};
  };
  return pool_.Write(std::move(forget));
}

}  // namespace maejin::mysql
