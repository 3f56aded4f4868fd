#include "cli/application.h"

#include <charconv>

#include <fmt/format.h>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/audit_reader.h"
#include "adapters/embedded/data_folder.h"
#include "adapters/embedded/database.h"
#include "adapters/embedded/idempotency_store.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/key_store.h"
#include "adapters/embedded/waiting_room_store.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/ticker.h"
#include "cli/booking_part.h"
#include "cli/keys.h"
#include "cli/ranking_part.h"
#include "cli/redis_part.h"
#include "cli/secret_file.h"
#include "cli/user_identity.h"
#include "http/health_routes.h"
#include "http/idempotency.h"
#include "http/identity.h"
#include "http/pages_routes.h"
#include "http/server/server.h"
#include "http/system_routes.h"
#include "http/waiting_room_routes.h"
#include "usecase/measure_rooms.h"

namespace maejin::cli {
namespace {

http::ServerOptions ServerOptionsOf(const Config& config) {
  http::ServerOptions options;
  options.threads = config.threads;
  options.head.whole = config.http.header_limit_bytes;
  options.body_limit = config.http.body_limit_bytes;
  options.header_deadline = config.http.header_deadline;
  options.idle_deadline = config.http.idle_deadline;
  options.connection_limit = config.http.connections;
  options.connections_per_address = config.http.connections_per_address;
  options.cors_origins = config.http.cors_origins;
  options.trusted_proxies = config.http.trusted_proxies;
  options.drain_deadline = config.http.drain;
  options.access_log = config.access_log;
  return options;
}

constexpr Millis kTickEvery{100};
constexpr Millis kStreamsEvery{1000};
// Twenty ticks missed: the process was stopped, and nobody could poll.
constexpr Millis kStopped{2000};

std::unique_ptr<KeyRing> OpenKeysOrThrow(const std::filesystem::path& folder, Random& random) {
  auto keys = embedded::OpenKeys(folder, random);
  if (!keys) throw std::runtime_error(keys.error());
  return std::move(*keys);
}

std::unique_ptr<http::Identity> MakeIdentityOrThrow(const Config& config, const Clock& clock) {
  auto identity = MakeIdentity(config, clock);
  if (!identity) throw std::runtime_error(identity.error());
  return std::move(*identity);
}

std::vector<http::ShownSetting> ShownSettings(const Config& config) {
  std::vector<http::ShownSetting> shown;
  for (const auto& [name, setting] : config.settings)
    shown.push_back({name, Shown(name, setting), setting.origin});
  return shown;
}

// The parts in the order in which they are made; they go in the reverse order.
class EmbeddedApplication final : public Application {
 public:
  EmbeddedApplication(embedded::DataFolder folder, const Config& config, const std::string& admin_key)
      : folder_(std::move(folder)),
        redis_(config.redis ? std::make_unique<RedisPart>(*config.redis, own_clock_) : nullptr),
        clock_(redis_ ? redis_->clock() : own_clock_),
        journal_(embedded::OpenDatabase(folder_.database().string())),
        reader_(folder_.database().string(), embedded::Connection::Mode::kReadOnly),
        audit_(reader_, journal_),
        audit_reader_(folder_.database().string()),
        keys_folder_(config.keys),
        keys_(OpenKeysOrThrow(config.keys, random_)),
        rooms_(MakeRooms()),
        identity_(MakeIdentityOrThrow(config, clock_)),
        answers_store_(journal_, folder_.database().string(), clock_.Now()),
        answers_(answers_store_, clock_),
        idempotency_(answers_, *identity_) {
    ranking_ = std::make_unique<RankingPart>(journal_, folder_.database().string(), config, clock_, metrics_);
    journal_.Listen([this](std::span<const BookingEvent> events) { ranking_->Applied(events); });
    bookings_ = std::make_unique<BookingPart>(
        BookingPart::Parts{journal_, audit_, random_, clock_, *rooms_, ranking_->store(), *keys_, *identity_,
                           metrics_, idempotency_, config},
        reader_);
    streams_.emplace(RoomParts{*rooms_, *keys_, clock_, &bookings_->store()});
    ranking_->store().ClaimIdsWith([this](ConcertId concert, ScheduleId highest_schedule) {
      return bookings_->store().ClaimImported(concert, highest_schedule);
    });
    metrics_.AddFamiliesOf(
        [this, most = config.metrics_rooms] { return MeasureRooms(rooms_->Stats(), most); });
    AddRoutes(config);
    server_.emplace(
        router_, ServerOptionsOf(config),
        http::ServerParts{
            .admin_key = http::AdminKey(admin_key), .idempotency = &idempotency_, .metrics = &metrics_});
    if (redis_) redis_->Attach(*server_);
    ticker_.emplace(kTickEvery, [this] {
      rooms_->Tick(clock_.Now());
      bookings_->Tick();
    });
    streams_ticker_.emplace(kStreamsEvery, [this] { streams_->Tick(); });
  }

  ~EmbeddedApplication() override {
    ticker_.reset();
    streams_ticker_.reset();
    // Payments under way resume on the serving threads' contexts: those must be there, but nobody must run them.
    server_->Stop();
    server_->Wait();
    bookings_->payments().Stop();
    if (redis_) redis_->Detach();
    server_.reset();
    ranking_->StopUpkeep();
    rooms_.reset();  // before the bookings, whom a tick of it may still ask
  }

  Result<Done, std::string> Listen(const std::string& address) {
    auto bound = server_->Listen(address);
    if (!bound) return bound.error();
    url_ = "http://" + bound->text;
    folder_.Announce(url_);
    server_->Start();
    ranking_->StartUpkeep();
    bookings_->payments().Start();
    return Done{};
  }

  std::string url() const override { return url_; }
  const http::Router& router() const override { return router_; }
  void Drain() override {
    server_->Drain();
    server_->Wait();
    journal_.Flush();
  }

 private:
  std::unique_ptr<WaitingRoomStore> MakeRooms() {
    if (!redis_) {
      return std::make_unique<embedded::WaitingRoomStore>(
          reader_, journal_, audit_, random_, clock_.Now(),
          embedded::WaitingRoomStoreOptions{.pause_after = kStopped});
    }
    return redis_->MakeRooms(
        {random_, *keys_, audit_, [this](const RoomId& room) { return SeatsLeft(room); }});
  }

  // Of a concert's room.
  std::optional<std::int64_t> SeatsLeft(const RoomId& room) const {
    ConcertId concert = 0;
    const auto [end, error] = std::from_chars(room.data(), room.data() + room.size(), concert);
    if (error != std::errc{} || end != room.data() + room.size()) return {};
    const auto stock = bookings_->store().StockAtOnce(concert);
    if (!stock) return {};
    return stock->available;
  }

  void AddRoutes(const Config& config) {
    http::AddHealthRoutes(router_, {.metrics = &metrics_,
                                    .checks = {{"journal", [this] { return journal_.Accepting(); }},
                                               {"redis", [this] { return !redis_ || redis_->connected(); }}},
                                    .draining = [this] { return server_ && server_->draining(); }});
    http::AddWaitingRoomRoutes(
        router_, {.parts = {*rooms_, *keys_, clock_, &bookings_->store()},
                  .identity = *identity_,
                  .streams = &*streams_,
                  .rotate_keys = [this](std::string actor) { return Rotate(std::move(actor)); }});
    bookings_->AddRoutes(router_);
    ranking_->AddRoutes(router_);
    http::AddPagesRoutes(
        router_, {.clock = clock_,
                  .plain = {.room = {*rooms_, *keys_, clock_, &bookings_->store()},
                            .identity = *identity_,
                            .concert = [this](std::string_view event) { return PlainConcertOf(event); }}});
    http::AddSystemRoutes(router_,
                          {.audit = ReadAudit(audit_reader_),
                           .version = MAEJIN_VERSION,
                           .started_at = clock_.Now(),
                           .back_ends = {{"waiting rooms", "embedded, " + folder_.database().string()},
                                         {"bookings", "embedded, " + folder_.database().string()},
                                         {"rankings", "embedded, " + folder_.database().string()}},
                           .settings = ShownSettings(config)});
  }

  Task<Result<Done, std::string>> Rotate(std::string actor) {
    const auto rotated = RotateKeys({keys_folder_, random_, *keys_, audit_}, actor, clock_.Now());
    if (!rotated.ok()) co_return rotated.error();
    const auto committed = co_await journal_.Committed(*rotated);
    if (!committed.ok()) co_return std::string("the keys are new, but the audit could not be written");
    co_return Done{};
  }

  // What the line without JavaScript says of a concert.
  std::optional<http::PlainConcert> PlainConcertOf(std::string_view event) const {
    ConcertId id = 0;
    const auto read = std::from_chars(event.data(), event.data() + event.size(), id);
    if (read.ec != std::errc{} || read.ptr != event.data() + event.size()) return {};
    auto concert = bookings_->store().FindConcert(id, clock_.Now());
    if (!concert) return {};
    auto& details = concert->details;
    return http::PlainConcert{std::move(details.title), std::move(details.artist), std::move(details.venue),
                              details.booking_open_at};
  }

  embedded::DataFolder folder_;
  SystemClock own_clock_;
  SystemRandom random_;
  std::unique_ptr<RedisPart> redis_;  // absent: the rooms lie in the data folder
  const Clock& clock_;
  Metrics metrics_;
  std::unique_ptr<RankingPart> ranking_;  // outlives the journal, which tells it what was written
  embedded::Journal journal_;
  embedded::Connection reader_;  // for loading at the start
  embedded::AuditLog audit_;
  embedded::AuditReader audit_reader_;
  std::filesystem::path keys_folder_;
  std::unique_ptr<KeyRing> keys_;
  std::unique_ptr<WaitingRoomStore> rooms_;
  std::unique_ptr<http::Identity> identity_;
  embedded::EmbeddedIdempotencyStore answers_store_;
  AnswerOnce answers_;
  http::Idempotency idempotency_;
  std::unique_ptr<BookingPart> bookings_;
  std::optional<http::RoomStreams> streams_;
  http::Router router_;
  std::optional<http::Server> server_;
  std::string url_;
  std::optional<Ticker> streams_ticker_;
  std::optional<Ticker> ticker_;  // last: it touches the stores
};

Result<Secret, std::string> AdminKeyOf(const Config& config) {
  SystemRandom random;
  // Only the folder's own key is ours to create.
  if (config.admin_key_file != config.data / "admin.key")
    return ReadSecret(config.admin_key_file, "admin key");
  auto key = ReadOrCreateSecret(config.admin_key_file, "admin key", random);
  if (key && key->created) LogInfo("the admin key was created: {}", config.admin_key_file.string());
  return key;
}

}  // namespace

Result<std::unique_ptr<Application>, std::string> Application::Start(const Config& config) {
  auto folder = embedded::DataFolder::Open(config.data);
  if (!folder) return folder.error();
  auto key = AdminKeyOf(config);
  if (!key) return key.error();
  try {
    auto application = std::make_unique<EmbeddedApplication>(std::move(*folder), config, key->text);
    auto listening = application->Listen(config.listen.ToString());
    if (!listening) return listening.error();
    return std::unique_ptr<Application>(std::move(application));
  } catch (const std::exception& error) {
    return fmt::format("cannot start on the data folder {}: {}", config.data.string(), error.what());
  }
}

}  // namespace maejin::cli
