#include <optional>

#include "adapters/redis/waiting_room/waiting_room_store.h"
#include "tests/contract/waiting_room_contract.h"
#include "tests/support/redis_places.h"
#include "tests/support/remembering_log.h"

namespace maejin::redis {
namespace {

class RedisWaitingRoomBed final : public WaitingRoomBed {
 public:
  explicit RedisWaitingRoomBed(std::string url) : url_(std::move(url)) { Start(); }
  ~RedisWaitingRoomBed() override { Stop(); }
  maejin::WaitingRoomStore& store() override { return *store_; }
  void Restart(Time) override {
    Stop();
    Start();
  }

 private:
  void Start() {
    client_.emplace(ParseAddress(url_).value());
    store_.emplace(*client_, random_, log_, WaitingRoomStoreOptions{});
  }
  void Stop() {
    store_.reset();
    client_.reset();
  }

  std::string url_;
  SeededRandom random_{7};
  test::RememberingLog log_;
  std::optional<Client> client_;
  std::optional<WaitingRoomStore> store_;
};

std::vector<WaitingRoomBedFactory> RoomBeds() {
  std::vector<WaitingRoomBedFactory> beds;
  for (const auto& place : test::RedisPlaces()) {
    beds.push_back(
        {place.name, [place](Time) { return std::make_unique<RedisWaitingRoomBed>(place.Empty()); }});
  }
  return beds;
}

}  // namespace
}  // namespace maejin::redis

namespace maejin {

INSTANTIATE_TEST_SUITE_P(Redis, WaitingRoomContract, testing::ValuesIn(redis::RoomBeds()),
                         [](const auto& bed) { return bed.param.name; });

}  // namespace maejin
