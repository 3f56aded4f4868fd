#include "app/shared_back_ends.h"

#include <mutex>

#include "adapters/embedded/key_store.h"
#include "app/mysql_module.h"
#include "app/redis_module.h"
#include "app/time_keeper.h"
#include "base/random.h"

namespace maejin::app {
namespace {

// A key folder given by the operator takes precedence over the keys in the database. Null: none was given.
std::unique_ptr<KeyRing> GivenKeys(const config::Config& config, Random& random) {
  if (!config.keys_given) return nullptr;
  auto keys = embedded::OpenKeys(config.keys, random);
  if (!keys) throw std::runtime_error(keys.error());
  return std::move(*keys);
}

// Members are constructed in declaration order and destroyed in reverse.
class SharedBackEnds final : public BackEnds {
 public:
  SharedBackEnds(const config::Config& config, Metrics& metrics)
      : redis_(*config.redis, own_clock_),
        time_(redis_.clock(), metrics),
        database_({*config.mysql, config.data, GivenKeys(config, random_)}, time_, random_, metrics),
        rankings_(redis_.MakeBoards(database_.history(), random_, TimeZone::Find(config.timezone).value())) {
    auto audit = [this](Time at, const std::string& actor, const std::string& action, const RoomId& room,
                        const std::string& detail) {
      database_.audit().Append({0, at, actor, action, "room " + room, detail});
    };
    rooms_ = redis_.MakeRooms(
        {random_, database_.keys(), database_.bookings(), std::move(audit), database_.admissions()});
    database_.bookings().AnnounceWith([this](std::string text) { redis_.Broadcast(std::move(text)); });
    notice_listener_->bookings = &database_.bookings();
    subscription_ = redis_.ListenToNodes([listener = notice_listener_](std::string_view text) {
      const std::lock_guard lock(listener->mutex);
      if (listener->bookings) listener->bookings->OnNotice(text);
    });
    metrics.AddCounterOf("maejin_ranking_drift_total",
                         "Board rows that differed from the database and were repaired.",
                         [this] { return static_cast<double>(rankings_->drift()); });
  }

  ~SharedBackEnds() override {
    const std::lock_guard lock(notice_listener_->mutex);
    notice_listener_->bookings = nullptr;
  }

  Ports ports() override {
    return {time_.clock(),        database_.keys(),      *rooms_,
            database_.bookings(), database_.bookings(),  database_.persons(),
            *rankings_,           database_.history(),   database_.answers(),
            database_.audit(),    database_.events(),    database_.operator_keys(),
            database_.webhooks(), database_.emergency(), database_.refusals(),
            database_.series(),   database_.counters(),  database_.posters(),
            database_.logos(),    &redis_.seat_lock()};
  }
  Task<Outcome<Done>> RotateKeys(std::string actor) override {
    return database_.RotateKeys(std::move(actor));
  }
  std::vector<http::ReadinessCheck> Checks() const override {
    return {{"database", [this] { return database_.connected(); }},
            {"redis", [this] { return redis_.ready(); }}};
  }
  std::vector<std::pair<std::string, std::string>> Descriptions() const override {
    return {{"waiting rooms", redis_.Description()},
            {"bookings", database_.description()},
            {"rankings", redis_.Description() + ", from " + database_.description()}};
  }
  void Attach(http::Server& server) override {
    redis_.Attach(server);
    database_.Start(*rankings_);
  }
  void Detach() override {
    database_.Stop();
    redis_.Detach();
  }
  // Nothing to do: a change is committed before it is acknowledged.
  void Flush() override {}

 private:
  // Shared with the listener, which may be called once more after the subscription has ended.
  struct NoticeListener {
    std::mutex mutex;
    mysql::MysqlBookingStore* bookings = nullptr;  // guarded by mutex
  };

  SystemClock own_clock_{SystemClock::Steps::kNever};  // Redis's clock corrects it
  SystemRandom random_;
  RedisModule redis_;
  TimeKeeper time_;
  MysqlModule database_;
  std::unique_ptr<redis::RankingStore> rankings_;
  std::unique_ptr<WaitingRoomStore> rooms_;  // reads the bookings
  const std::shared_ptr<NoticeListener> notice_listener_ = std::make_shared<NoticeListener>();
  redis::Client::Subscription subscription_;  // last: its listener uses the bookings
};

}  // namespace

std::unique_ptr<BackEnds> MakeSharedBackEnds(const config::Config& config, Metrics& metrics) {
  return std::make_unique<SharedBackEnds>(config, metrics);
}

}  // namespace maejin::app
