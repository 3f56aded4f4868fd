#include "app/embedded_back_ends.h"

#include <stdexcept>

#include "adapters/embedded/admission_log.h"
#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/audit_store.h"
#include "adapters/embedded/booking_store.h"
#include "adapters/embedded/database.h"
#include "adapters/embedded/emergency_store.h"
#include "adapters/embedded/event_reader.h"
#include "adapters/embedded/high_water.h"
#include "adapters/embedded/idempotency_store.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/key_store.h"
#include "adapters/embedded/operator_key_store.h"
#include "adapters/embedded/person_store.h"
#include "adapters/embedded/picture_store.h"
#include "adapters/embedded/ranking_store.h"
#include "adapters/embedded/refusal_log.h"
#include "adapters/embedded/restore.h"
#include "adapters/embedded/sale_series.h"
#include "adapters/embedded/sold_out_corrections.h"
#include "adapters/embedded/waiting_room/waiting_room_store.h"
#include "adapters/embedded/webhook_store.h"
#include "app/boards_on_redis.h"
#include "app/key_rotation.h"
#include "app/redis_module.h"
#include "base/log.h"
#include "base/random.h"
#include "base/ticker.h"

namespace maejin::app {
namespace {

constexpr Millis kMarkEvery{1000};

std::unique_ptr<KeyRing> OpenKeysOrThrow(const std::filesystem::path& folder, Random& random) {
  auto keys = embedded::OpenKeys(folder, random);
  if (!keys) throw std::runtime_error(keys.error());
  return std::move(*keys);
}

// If the machine's clock is behind the mark of the previous run, the clock starts after every time that the
// previous run may have shown.
const Clock& StartedClock(SystemClock& clock, const std::optional<embedded::Mark>& mark) {
  clock.OnStep([](Millis by) {
    LogWarning(
        "the machine's clock is {} ms ahead; the server's clock steps forward, and holds and turns are "
        "extended by it",
        by.count());
  });
  if (!mark) return clock;
  const auto behind = mark->at - clock.Now();
  // The previous run may have shown times after its last mark, too.
  const auto shown = mark->at + embedded::kMarkTimeEvery + Seconds{2};
  if (behind > Millis{0}) {
    LogWarning("the machine's clock is {} ms behind the last run; continuing from {}", behind.count(),
               FormatTime(shown));
    clock.StartNotBefore(shown);
  }
  return clock;
}

// Members are constructed in declaration order and destroyed in reverse.
class EmbeddedBackEnds final : public BackEnds {
 public:
  EmbeddedBackEnds(const embedded::DataFolder& folder, const config::Config& config, Metrics& metrics)
      : database_(folder.database().string()),
        mark_file_(embedded::MarkFile(folder.path())),
        mark_(embedded::ReadMark(mark_file_)),
        own_clock_(config.redis ? SystemClock::Steps::kNever : SystemClock::Steps::kForward),
        redis_(config.redis ? std::make_unique<RedisModule>(*config.redis, own_clock_) : nullptr),
        clock_(redis_ ? redis_->clock() : StartedClock(own_clock_, mark_)),
        journal_(embedded::OpenDatabase(database_)),
        reader_(database_, embedded::Connection::Mode::kReadOnly),
        audit_(reader_, journal_),
        audit_store_(database_, journal_, audit_),
        events_(journal_, database_),
        lost_(embedded::ReadLostSpans(reader_)),
        operator_keys_(reader_, journal_, audit_),
        webhooks_(reader_, journal_, audit_),
        emergency_(reader_, journal_, audit_),
        posters_(PictureKind::kPoster, database_, journal_, audit_),
        logos_(PictureKind::kLogo, database_, journal_, audit_),
        keys_folder_(config.keys),
        keys_(OpenKeysOrThrow(config.keys, random_)),
        counters_(metrics),
        bookings_(journal_, audit_, random_, kPauseAfter),
        answers_(journal_, database_, clock_.Now()),
        admissions_(journal_, database_),
        refusals_(journal_, database_),
        series_(journal_, database_),
        corrections_(journal_, database_) {
    CheckMarkOrThrow();
    MakeRankings(TimeZone::Find(config.timezone).value(), metrics);
    bookings_.Load(reader_, clock_.Now());
    bookings_.CountWith(counters_);
    rooms_ = MakeRooms();
    high_water_.emplace(embedded::HighWater::Parts{journal_, audit_, *keys_, clock_}, mark_file_, mark_);
    mark_ticker_.emplace(kMarkEvery, [this] {
      high_water_->Tick();
      if (journal_.Accepting()) embedded::KeepReserve(database_);
    });
  }
  ~EmbeddedBackEnds() override {
    Detach();
    mark_ticker_.reset();
  }

  Ports ports() override {
    return {clock_,   *keys_,         *rooms_,      bookings_,  bookings_,
            persons_, Rankings(),     corrections_, answers_,   audit_store_,
            events_,  operator_keys_, webhooks_,    emergency_, refusals_,
            series_,  counters_,      posters_,     logos_,     redis_ ? &redis_->seat_lock() : nullptr,
            lost_};
  }
  Task<Outcome<Done>> RotateKeys(std::string actor) override {
    const auto rotated = app::RotateKeys({keys_folder_, random_, *keys_, audit_}, actor, clock_.Now());
    if (!rotated.ok()) co_return Refused{Refusal::kUnavailable, rotated.error()};
    const auto committed = co_await journal_.Committed(*rotated);
    if (!committed.ok()) {
      co_return Refused{Refusal::kUnavailable,
                        "the keys were rotated, but the audit log could not be written"};
    }
    co_return Done{};
  }
  std::vector<http::ReadinessCheck> Checks() const override {
    std::vector<http::ReadinessCheck> checks{{"journal", [this] { return journal_.Accepting(); }}};
    if (redis_) checks.push_back({"redis", [this] { return redis_->ready(); }});
    return checks;
  }
  std::vector<std::pair<std::string, std::string>> Descriptions() const override {
    const auto here = "embedded, " + database_;
    const auto boards = boards_on_redis_ ? redis_->Description() + ", from " + here : here;
    return {
        {"waiting rooms", redis_ ? redis_->Description() : here}, {"bookings", here}, {"rankings", boards}};
  }
  void Attach(http::Server& server) override {
    if (redis_) redis_->Attach(server);
  }
  void Detach() override {
    if (boards_on_redis_) boards_on_redis_->Stop();
    if (redis_) redis_->Detach();
  }
  void Flush() override { journal_.Flush(); }

 private:
  void CheckMarkOrThrow() {
    if (!mark_) return;
    const auto checked = embedded::CheckMark(*mark_, mark_file_, reader_, *keys_);
    if (!checked) throw std::runtime_error(checked.error());
  }

  std::unique_ptr<WaitingRoomStore> MakeRooms() {
    if (!redis_) {
      return std::make_unique<embedded::WaitingRoomStore>(
          reader_, journal_, audit_, random_, clock_.Now(),
          embedded::WaitingRoomStoreOptions{.pause_after = kPauseAfter, .database = database_});
    }
    auto audit = [this](Time at, const std::string& actor, const std::string& action, const RoomId& room,
                        const std::string& detail) {
      embedded::WriteSet rows;
      const auto subject = "room " + room;
      audit_.Append(rows, {at, actor, action, subject, detail});
    };
    return redis_->MakeRooms({random_, *keys_, bookings_, std::move(audit), admissions_});
  }

  RankingStore& Rankings() {
    return boards_on_redis_ ? boards_on_redis_->store() : static_cast<RankingStore&>(*rankings_);
  }

  // Keeps the boards in Redis if it is configured and its boards belong to this database, else in memory.
  void MakeRankings(const TimeZone& zone, Metrics& metrics) {
    corrections_.ReserveIdsWith([this](ConcertId concert, std::span<const ScheduleSoldOut> schedules) {
      return bookings_.ReserveImported(concert, schedules);
    });
    auto reserve_ids = [this](ConcertId concert, std::span<const ScheduleSoldOut> schedules) {
      if (corrections_.IsRemoved(concert)) return Imported::kKnown;
      return bookings_.ReserveImported(concert, schedules);
    };
    if (redis_)
      boards_on_redis_ = BoardsOnRedis::Open({journal_, database_, *redis_, random_, zone, reserve_ids});
    if (boards_on_redis_) {
      journal_.Listen(
          [boards = boards_on_redis_](std::span<const BookingEvent> events) { boards->Deliver(events); });
    } else {
      rankings_ = std::make_unique<embedded::EmbeddedRankingStore>(
          journal_, embedded::EmbeddedRankingStore::Options{database_, zone, clock_.Now()});
      journal_.Listen([this](std::span<const BookingEvent> events) { rankings_->Applied(events); });
      rankings_->ReserveIdsWith(std::move(reserve_ids));
      metrics.AddGaugeOf("maejin_ranking_memory_bytes", "Memory of the sold-out tables and boards.",
                         [this] { return static_cast<double>(rankings_->bytes()); });
    }
    metrics.AddCounterOf("maejin_ranking_drift_total",
                         "Board rows that differed from the database and were repaired.", [this] {
                           return static_cast<double>(boards_on_redis_ ? boards_on_redis_->store().drift()
                                                                       : rankings_->drift());
                         });
  }

  const std::string database_;
  const std::filesystem::path mark_file_;
  const std::optional<embedded::Mark> mark_;  // of the run before
  SystemClock own_clock_;
  SystemRandom random_;
  std::unique_ptr<RedisModule> redis_;  // null: the rooms are in the data folder
  const Clock& clock_;
  std::unique_ptr<embedded::EmbeddedRankingStore> rankings_;  // null: boards on Redis; outlives the journal
  std::shared_ptr<BoardsOnRedis> boards_on_redis_;            // null: the boards are in memory
  embedded::Journal journal_;
  embedded::Connection reader_;  // for loading at the start
  embedded::AuditLog audit_;
  embedded::EmbeddedAuditStore audit_store_;
  embedded::EventReader events_;
  const std::vector<LostSpan> lost_;
  embedded::EmbeddedOperatorKeyStore operator_keys_;
  embedded::EmbeddedWebhookStore webhooks_;
  embedded::EmbeddedEmergencyStore emergency_;
  embedded::EmbeddedPictureStore posters_;
  embedded::EmbeddedPictureStore logos_;
  const std::filesystem::path keys_folder_;
  std::unique_ptr<KeyRing> keys_;
  BookingCounters counters_;
  embedded::EmbeddedBookingStore bookings_;
  embedded::EmbeddedPersonStore persons_{bookings_, random_};
  embedded::EmbeddedIdempotencyStore answers_;
  embedded::EmbeddedAdmissionLog admissions_;
  embedded::EmbeddedRefusalLog refusals_;
  embedded::EmbeddedSaleSeries series_;
  embedded::EmbeddedSoldOutCorrections corrections_;
  std::unique_ptr<WaitingRoomStore> rooms_;  // reads the bookings
  std::optional<embedded::HighWater> high_water_;
  std::optional<Ticker> mark_ticker_;
};

}  // namespace

std::unique_ptr<BackEnds> MakeEmbeddedBackEnds(const embedded::DataFolder& folder,
                                               const config::Config& config, Metrics& metrics) {
  return std::make_unique<EmbeddedBackEnds>(folder, config, metrics);
}

}  // namespace maejin::app
