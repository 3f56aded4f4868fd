// Rows of schema/0001_ranking.sql: one row for each sell-out. Only a correction by an operator replaces a
// row.
#pragma once

#include <string_view>
#include <vector>

#include "adapters/mysql/connection.h"
#include "domain/booking/booking_event.h"

namespace maejin::mysql {

// False: the id has a sell-out already, which is kept.
bool AddSoldOut(Connection& connection, const ConcertSoldOut& fact);
bool AddSoldOut(Connection& connection, const ScheduleSoldOut& fact);

// Sell-outs that operators removed, and sell-outs of cancelled concerts, are on no board.
inline constexpr char kRanked[] =
    "WHERE concert_id NOT IN (SELECT concert_id FROM sold_out_removals) AND concert_id NOT IN (SELECT id "
    "FROM "
    "concerts WHERE ranked = 0 OR status = 'CANCELLED')";

// `which`: the end of the statement (WHERE …), with its values.
std::vector<ConcertSoldOut> ReadSoldOutConcerts(Connection& connection, std::string_view which,
                                                const std::vector<Value>& values);
std::vector<ScheduleSoldOut> ReadSoldOutSchedules(Connection& connection, std::string_view which,
                                                  const std::vector<Value>& values);

}  // namespace maejin::mysql
