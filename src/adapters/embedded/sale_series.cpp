#include "adapters/embedded/sale_series.h"

#include "base/log.h"

namespace maejin::embedded {
namespace {

constexpr Sql kAddPoint{
    "INSERT INTO sale_series (concert_id, at, arrivals, admissions, waiting, entered, held, sold, revenue, "
    "refused, declined, p99_us, expired) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
    "COALESCE((SELECT expired FROM sale_series WHERE concert_id = ?1 AND at < ?2 ORDER BY at DESC LIMIT 1), "
    "0)) ON CONFLICT (concert_id, at) DO UPDATE SET p99_us = MAX(p99_us, excluded.p99_us)"};
constexpr Sql kAddExpired{"UPDATE sale_series SET expired = expired + ? WHERE concert_id = ? AND at >= ?"};
constexpr Sql kThinPoints{
    "DELETE FROM sale_series WHERE at < ?1 AND EXISTS (SELECT 1 FROM sale_series later WHERE "
    "later.concert_id = sale_series.concert_id AND later.at > sale_series.at AND later.at < "
    "(sale_series.at / ?2 + 1) * ?2)"};
constexpr Sql kForgetPoints{"DELETE FROM sale_series WHERE at < ?"};

}  // namespace

Task<Outcome<Done>> EmbeddedSaleSeries::Write(WriteSet rows) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto committed = co_await journal_.Committed(journal_.Append(rows));
  co_return committed;
}

Task<Outcome<Done>> EmbeddedSaleSeries::Add(Points points) {
  WriteSet rows;
  for (const auto& [concert, point] : points) {
    rows.Add(kAddPoint).Int(concert).At(point.at).Int(point.arrivals).Int(point.admissions);
    rows.Int(point.waiting).Int(point.entered).Int(point.held).Int(point.sold).Int(point.revenue);
    rows.Int(point.refused).Int(point.declined).Int(point.p99.count());
    if (point.expired > 0) rows.Add(kAddExpired).Int(point.expired).Int(concert).At(point.at);
  }
  return Write(std::move(rows));
}

// Charts are read rarely: the file is opened for each call.
Task<Outcome<std::vector<SalePoint>>> EmbeddedSaleSeries::Read(ConcertId concert, Time after) {
  std::vector<SalePoint> found;
  try {
    Connection connection(database_, Connection::Mode::kReadOnly);
    auto row = connection.Prepare(
        "SELECT at, arrivals, admissions, waiting, entered, held, sold, revenue, refused, declined, "
        "expired, p99_us FROM sale_series WHERE concert_id = ? AND at > ? ORDER BY at");
    row.Bind(1, concert);
    row.Bind(2, ToMillis(after));
    while (row.Step()) {
      found.push_back({TimeFromMillis(row.Int(0)), row.Int(1), row.Int(2), row.Int(3), row.Int(4), row.Int(5),
                       row.Int(6), row.Int(7), row.Int(8), row.Int(9), row.Int(10),
                       std::chrono::microseconds{row.Int(11)}});
    }
  } catch (const SqliteError& error) {
    LogError("the series of a sale cannot be read: {}", error.what());
    co_return Refusal::kUnavailable;
  }
  co_return found;
}

Task<Outcome<Done>> EmbeddedSaleSeries::Thin(Time before, Millis span) {
  WriteSet rows;
  rows.Add(kThinPoints).At(before).Int(span.count());
  return Write(std::move(rows));
}

Task<Outcome<Done>> EmbeddedSaleSeries::Forget(Time before) {
  WriteSet rows;
  rows.Add(kForgetPoints).At(before);
  return Write(std::move(rows));
}

}  // namespace maejin::embedded
