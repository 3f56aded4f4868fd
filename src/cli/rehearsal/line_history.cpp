#include "cli/rehearsal/line_history.h"

#include <algorithm>
#include <climits>

namespace maejin::cli {
namespace {

// Counts a fan from the answer of its enter until its leave is sent: a lower bound of the real number.
int MostInside(const std::vector<FanHistory>& fans) {
  std::vector<std::pair<Moment, int>> changes;
  for (const auto& fan : fans) {
    if (fan.entered == kNever) continue;
    changes.emplace_back(fan.entered, 1);
    if (fan.left != kNever) changes.emplace_back(fan.left, -1);
  }
  std::sort(changes.begin(), changes.end());
  int inside = 0;
  int most = 0;
  for (const auto& [at, by] : changes) most = std::max(most, inside += by);
  return most;
}

// Precondition: `fans` is sorted by number.
int CountOvertakenJoins(const std::vector<FanHistory>& fans) {
  int overtaken = 0;
  auto latest_sent = Moment::min();
  for (const auto& fan : fans) {
    if (latest_sent > fan.join_answered) ++overtaken;
    latest_sent = std::max(latest_sent, fan.join_sent);
  }
  return overtaken;
}

// A time with seats.
struct Period {
  Moment from;
  Moment until;

  bool Contains(Moment at) const { return at >= from && at < until; }
};

// The times outside `no_seats`. Each begins kSlack late, because turns begin some time after a seat returned.
std::vector<Period> PeriodsWithSeats(std::vector<NoSeats> no_seats) {
  constexpr std::chrono::seconds kSlack{2};
  std::sort(no_seats.begin(), no_seats.end(), [](auto& a, auto& b) { return a.from < b.from; });
  std::vector<Period> periods;
  auto from = Moment::min();
  for (const auto& spell : no_seats) {
    if (spell.from > from) periods.push_back({from, spell.from});
    from = std::max(from, spell.until == kNever ? kNever : spell.until + kSlack);
  }
  if (from != kNever) periods.push_back({from, kNever});
  return periods;
}

// The first answer within `period` that said "ready".
Moment FirstReadyIn(const FanHistory& fan, const Period& period) {
  auto first = period.Contains(fan.first_ready) ? fan.first_ready : kNever;
  for (const auto at : fan.readies) {
    if (period.Contains(at)) first = std::min(first, at);
  }
  return first;
}

// For every fan: the earliest ready time in `period` among the fans that joined after this fan had its
// place.
std::vector<Moment> ReadyBehind(const std::vector<FanHistory>& fans, const Period& period) {
  std::vector<const FanHistory*> by_sent;
  for (const auto& fan : fans) by_sent.push_back(&fan);
  std::sort(by_sent.begin(), by_sent.end(), [](auto* a, auto* b) { return a->join_sent < b->join_sent; });
  std::vector<Moment> earliest(by_sent.size() + 1, kNever);  // [i]: of by_sent[i] and later
  for (auto i = by_sent.size(); i-- > 0;)
    earliest[i] = std::min(earliest[i + 1], FirstReadyIn(*by_sent[i], period));
  std::vector<Moment> behind;
  for (const auto& fan : fans) {
    const auto first = std::upper_bound(by_sent.begin(), by_sent.end(), fan.join_answered,
                                        [](Moment at, auto* other) { return at < other->join_sent; });
    behind.push_back(earliest[static_cast<std::size_t>(first - by_sent.begin())]);
  }
  return behind;
}

// The returns of fans after an absence. A fan that returns to a place before another fan's can take the next
// slot, so the other fan may have to wait again.
class Returns {
 public:
  explicit Returns(const std::vector<FanHistory>& fans) {
    for (const auto& fan : fans) {
      for (const auto at : fan.returned) all_.push_back({at, fan.number});
    }
  }
  bool Explain(const FanHistory& fan, Moment from, Moment until) const {
    return std::any_of(all_.begin(), all_.end(), [&](const Return& other) {
      return other.number < fan.number && other.at >= std::max(from - kRequestTime, until - kMaxWait) &&
             other.at <= until + kRequestTime;
    });
  }

 private:
  // How long a request may be in flight, and how long a fan may wait because of one return.
  static constexpr std::chrono::seconds kRequestTime{2};
  static constexpr std::chrono::seconds kMaxWait{30};
  struct Return {
    Moment at;
    long number;
  };
  std::vector<Return> all_;
};

void CompareAdmissions(const std::vector<FanHistory>& fans, std::vector<NoSeats> no_seats,
                       LineVerdict& verdict) {
  const Returns returns(fans);
  std::vector<bool> followed(fans.size(), false);
  for (const auto& period : PeriodsWithSeats(std::move(no_seats))) {
    const auto behind = ReadyBehind(fans, period);
    for (std::size_t i = 0; i < fans.size(); ++i) {
      const auto& fan = fans[i];
      for (const auto& poll : fan.polls) {
        if (poll.sent >= fan.absent_from) break;
        if (!period.Contains(poll.sent) || poll.answered >= period.until) continue;
        followed[i] = true;
        if (poll.sent <= behind[i]) continue;
        ++verdict.polls_compared;
        if (poll.waiting && !returns.Explain(fan, behind[i], poll.sent)) ++verdict.admission_order_violations;
      }
    }
  }
  verdict.fans_followed = static_cast<int>(std::count(followed.begin(), followed.end(), true));
}

void ComparePositions(const std::vector<FanHistory>& fans, LineVerdict& verdict) {
  for (const auto& fan : fans) {
    long before = LONG_MAX;
    for (const auto& poll : fan.polls) {
      if (poll.rank < 0) continue;
      ++verdict.positions_compared;
      verdict.rank_increases += poll.rank > before ? 1 : 0;
      before = poll.rank;
    }
  }
}

}  // namespace

LineVerdict CheckLine(std::vector<FanHistory> fans, std::vector<NoSeats> no_seats) {
  std::sort(fans.begin(), fans.end(), [](auto& a, auto& b) { return a.number < b.number; });
  LineVerdict verdict;
  verdict.most_inside = MostInside(fans);
  verdict.join_order_violations = CountOvertakenJoins(fans);
  CompareAdmissions(fans, std::move(no_seats), verdict);
  ComparePositions(fans, verdict);
  for (std::size_t i = 1; i < fans.size(); ++i)
    verdict.duplicate_numbers += fans[i].number == fans[i - 1].number ? 1 : 0;
  return verdict;
}

}  // namespace maejin::cli
