#include "adapters/mysql/customer_limits.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "adapters/mysql/booking_rows.h"

namespace maejin::mysql {
namespace {

// Locks in a fixed order, so that two batches do not deadlock. An existing row is locked too. The list is
// padded to a power of two with its last value, so that few statements are prepared.
void LockCustomers(Connection& connection, const std::set<std::pair<ConcertId, UserId>>& customers) {
  std::string sql = "INSERT INTO buyers (concert_id, user_id) VALUES ";
  std::vector<Value> values;
  const auto add = [&](const std::pair<ConcertId, UserId>& customer) {
    sql += values.empty() ? "(?, ?)" : ", (?, ?)";
    values.emplace_back(customer.first);
    values.emplace_back(customer.second);
  };
  for (const auto& customer : customers) add(customer);
  const auto padding = std::bit_ceil(customers.size()) - customers.size();
  for (std::size_t i = 0; i < padding; ++i) add(*customers.rbegin());
  sql += " ON DUPLICATE KEY UPDATE user_id = VALUES(user_id)";
  connection.ExecuteValues(sql, values);
}

struct DateTally {
  std::int64_t seats = 0;
  std::int64_t unpaid = 0;  // holds that ended without a payment
};
using Tally = std::map<ScheduleId, DateTally>;

// The seats and unpaid holds of the customers in a concert, by user and date.
std::map<UserId, Tally> ReadTallies(Connection& connection, ConcertId concert,
                                    const std::vector<UserId>& users) {
  std::string sql =
      "SELECT user_id, schedule_id, SUM(IF(status IN ('HELD', 'PAYING', 'CONFIRMED'), seat_count, 0)), "
      "SUM(status IN ('EXPIRED', 'CANCELLED')) FROM reservations WHERE concert_id = ? AND user_id IN ";
  std::vector<Value> values{Value(concert)};
  AppendInList(sql, values, users);
  sql += " GROUP BY user_id, schedule_id";
  std::map<UserId, Tally> tallies;
  auto rows = connection.QueryValues(sql, values);
  while (rows.Next()) tallies[UserId(rows.Text(0))][rows.Int(1)] = {rows.Int(2), rows.Int(3)};
  return tallies;
}

bool IsWithinLimits(const CustomerHold& hold, const Tally& tally) {
  CustomerSeats customer;
  for (const auto& [schedule, date] : tally) {
    customer.in_concert += date.seats;
    if (schedule != hold.schedule) continue;
    customer.on_date = date.seats;
    // Whether the customer must wait depends on the times at which its holds ended. CheckCustomer() reads
    // those times.
    const bool may_cool_down = hold.details->cooldown > Seconds{0} &&
                               date.unpaid >= static_cast<std::int64_t>(UnpaidHolds::kAllowed);
    if (may_cool_down) return false;
  }
  return CheckLimits(*hold.details, customer, hold.seats, hold.now).ok();
}

}  // namespace

Outcome<Done> CheckCustomer(Connection& connection, const CustomerHold& hold) {
  LockCustomers(connection, {{hold.concert, hold.user}});
  auto row = connection.Query(
      "SELECT COALESCE(SUM(IF(status IN ('HELD', 'PAYING', 'CONFIRMED'), seat_count, 0)), 0), "
      "COALESCE(SUM(IF(status IN ('HELD', 'PAYING', 'CONFIRMED') AND schedule_id = ?, seat_count, 0)), 0), "
      "COALESCE(SUM(status IN ('EXPIRED', 'CANCELLED') AND schedule_id = ?), 0) "
      "FROM reservations WHERE concert_id = ? AND user_id = ?",
      hold.schedule, hold.schedule, hold.concert, hold.user);
  row.Next();
  CustomerSeats customer{.in_concert = row.Int(0), .on_date = row.Int(1)};
  const auto unpaid = row.Int(2);
  if (hold.details->cooldown > Seconds{0} && unpaid >= static_cast<std::int64_t>(UnpaidHolds::kAllowed)) {
    auto ends = connection.Query(
        "SELECT ended_at FROM reservations WHERE concert_id = ? AND user_id = ? AND schedule_id = ? AND "
        "status IN ('EXPIRED', 'CANCELLED') ORDER BY ended_at DESC LIMIT ?",
        hold.concert, hold.user, hold.schedule, UnpaidHolds::kAllowed);
    while (ends.Next()) customer.unpaid.Add(ends.At(0));
  }
  return CheckLimits(*hold.details, customer, hold.seats, hold.now);
}

std::vector<bool> CheckCustomers(Connection& connection, const std::vector<CustomerHold>& holds) {
  if (holds.empty()) return {};
  std::set<std::pair<ConcertId, UserId>> customers;
  std::map<ConcertId, std::vector<UserId>> users;
  for (const auto& hold : holds) {
    customers.emplace(hold.concert, hold.user);
    users[hold.concert].push_back(hold.user);
  }
  LockCustomers(connection, customers);
  std::map<ConcertId, std::map<UserId, Tally>> tallies;
  for (const auto& [concert, of_concert] : users)
    tallies.emplace(concert, ReadTallies(connection, concert, of_concert));
  std::vector<bool> within;
  for (const auto& hold : holds) within.push_back(IsWithinLimits(hold, tallies[hold.concert][hold.user]));
  return within;
}

}  // namespace maejin::mysql
