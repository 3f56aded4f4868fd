// What the tests of every ranking store share: facts with many ties, and every board as a plain sort says it
// must be. Nothing here asks the product for an order.
#pragma once

#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "domain/booking/booking_event.h"
#include "domain/ranking/board.h"
#include "store/ranking_store.h"

namespace maejin {

inline const TimeZone kSeoul = *TimeZone::Find("Asia/Seoul");
inline const Time kRankingNow = *ParseTime("2026-01-02T12:00:00Z");

ConcertSoldOut ConcertFact(ConcertId id, Time opening, Millis duration, std::int64_t dates = 1);
ScheduleSoldOut ScheduleFact(ScheduleId id, Time start, Millis duration);

BoardWindow At(BoardId board, const char* day);
BoardWindow At(BoardId board, Time instant);

// A row as a plain sort sees it, with the fields of no class of the product.
struct PlainRow {
  std::int64_t duration_ms = 0;
  std::int64_t dates = 0;
  std::int64_t started_ms = 0;
  std::int64_t id = 0;
};
// `seconds`: the board measures in whole seconds.
using PlainLess = bool (*)(const PlainRow& a, const PlainRow& b, bool seconds);
bool RightOrder(const PlainRow& a, const PlainRow& b, bool seconds);

// Every board of concerts and schedules that a history touches. The first fact of an id stands.
class BruteForce {
 public:
  explicit BruteForce(PlainLess less = RightOrder) : less_(less) {}

  void Add(const BookingEvent& event);
  std::map<BoardWindow, std::vector<std::int64_t>> Boards() const;

 private:
  PlainLess less_;
  std::map<ConcertId, ConcertSoldOut> concerts_;
  std::map<ScheduleId, ScheduleSoldOut> schedules_;
};

// Sell-outs with many ties, in windows that are kept and in windows past their retention.
std::vector<BookingEvent> RandomHistory(std::mt19937& chance, std::size_t count);

// The ids of a board as the store tells them.
std::vector<std::int64_t> Ids(RankingStore& store, const BoardWindow& board, std::int64_t count = 1'000'000);

}  // namespace maejin
