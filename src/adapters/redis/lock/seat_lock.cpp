#include "adapters/redis/lock/seat_lock.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace maejin::redis {
namespace {

Task<void> ReleaseAll(std::shared_ptr<RedissonLock> lock, std::vector<RedissonLock::Lease> leases) {
  for (auto& lease : leases) std::ignore = co_await lock->Release(std::move(lease));
}

}  // namespace

class RedisSeatLock::Leases final : public Lease {
 public:
  Leases(Client& client, std::shared_ptr<RedissonLock> lock) : client_(client), lock_(std::move(lock)) {}
  ~Leases() override {
    if (!leases_.empty()) client_.Spawn(ReleaseAll(std::move(lock_), std::move(leases_)));
  }
  void Add(RedissonLock::Lease lease) { leases_.push_back(std::move(lease)); }

 private:
  Client& client_;
  std::shared_ptr<RedissonLock> lock_;
  std::vector<RedissonLock::Lease> leases_;
};

std::string RedisSeatLock::NameOf(ConcertId concert, ScheduleId schedule, SeatNumber seat) {
  return fmt::format("lock:seat:{}:{}-{}", concert, schedule, seat);
}

Task<Outcome<std::unique_ptr<SeatLock::Lease>>> RedisSeatLock::Take(SeatChoice choice) {
  auto& seats = choice.seats;
  std::sort(seats.begin(), seats.end());
  seats.erase(std::unique(seats.begin(), seats.end()), seats.end());
  auto leases = std::make_unique<Leases>(client_, lock_);
  for (const auto seat : seats) {
    auto lease = co_await lock_->Acquire(NameOf(choice.concert, choice.schedule, seat));
    if (lease.ok()) {
      leases->Add(std::move(*lease));
    } else if (lease.error() == RedissonLock::Failure::kBusy) {
      co_return Refused{Refusal::kSeatHeld, std::to_string(seat)};
    } else {
      break;  // Redis is unavailable: the database decides alone
    }
  }
  co_return std::unique_ptr<Lease>(std::move(leases));
}

}  // namespace maejin::redis
