#include "app/application.h"

#include <array>
#include <chrono>
#include <mutex>
#include <semaphore>

#include <fmt/format.h>
#include <boost/asio/post.hpp>

#include "adapters/embedded/data_folder.h"
#include "adapters/webhook/curl_client.h"
#include "app/booking_module.h"
#include "app/check_meanings.h"
#include "app/embedded_back_ends.h"
#include "app/node_metrics.h"
#include "app/ranking_module.h"
#include "app/readiness.h"
#include "app/redis_module.h"
#include "app/rehearsal_module.h"
#include "app/reload.h"
#include "app/scheduled_backups.h"
#include "app/shared_back_ends.h"
#include "app/site_logo.h"
#include "app/user_identity.h"
#include "app/watched_certificate.h"
#include "app/webhook_module.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/run_task.h"
#include "base/ticker.h"
#include "config/secret_file.h"
#include "domain/waiting_room/place_token.h"
#include "http/admin/event_routes.h"
#include "http/admin/health_routes.h"
#include "http/admin/key_routes.h"
#include "http/admin/maintenance_routes.h"
#include "http/admin/readiness_routes.h"
#include "http/admin/route_roles.h"
#include "http/admin/session_routes.h"
#include "http/admin/system_routes.h"
#include "http/admin/user_routes.h"
#include "http/idempotency.h"
#include "http/identity.h"
#include "http/pages/error_pages.h"
#include "http/pages/maintenance_page.h"
#include "http/pages/routes.h"
#include "http/problem.h"
#include "http/queue_token.h"
#include "http/waiting_room/gate_routes.h"
#include "http/waiting_room/routes.h"
#include "server/server.h"
#include "usecase/erase_user.h"
#include "usecase/float_rooms.h"
#include "usecase/manage_keys.h"
#include "usecase/measure_rooms.h"
#include "usecase/read_room.h"

namespace maejin::app {
namespace {

http::ServerOptions ServerOptionsOf(const config::Config& config) {
  http::ServerOptions options;
  options.threads = config.threads;
  options.head.whole = config.http.header_limit_bytes;
  options.body_limit = config.http.body_limit_bytes;
  options.header_deadline = config.http.header_deadline;
  options.idle_deadline = config.http.idle_deadline;
  options.connection_limit = config.http.connections;
  options.connections_per_address = config.http.connections_per_address;
  options.reserved_connections = config.http.reserved_connections;
  options.streams_per_client = config.http.streams_per_client;
  options.owed = {config.http.owed_bytes, config.http.owed_bytes_per_address,
                  config.http.owed_bytes_per_connection};
  options.least_read_bytes_per_second = config.http.least_read_bytes_per_second;
  options.cors_origins = config.http.cors_origins;
  options.trusted_proxies = config.http.trusted_proxies;
  options.drain_deadline = config.http.drain;
  options.access_log = config.access_log;
  options.json_log = config.log_format == LogFormat::kJson;
  return options;
}

http::SiteTexts SiteTextsOf(const config::Config& config) {
  http::SiteTexts site{config.site.name, config.site.help_url, config.site.terms_url};
  site.color = config.site.color;
  if (!config.site.logo.empty()) {
    auto logo = ReadLogo(config.site.logo);
    if (!logo) throw std::runtime_error(logo.error());
    site.logo = std::move(*logo);
  }
  site.test_payments = config.payment.provider != config::PaymentKind::kCallback;
  return site;
}

constexpr Millis kTickEvery{100};
constexpr Millis kRoomsEvery{50};  // so that the key seat:count on Redis is at most 100 ms old
constexpr Millis kStreamsEvery{1000};
constexpr Millis kRefusalsEvery{1000};
constexpr Millis kSeriesEvery{1000};
constexpr Millis kFloatTickEvery{1000};
constexpr Millis kEraseEvery{5'000};
constexpr Millis kPruneEventsEvery{60'000};

std::unique_ptr<http::Identity> MakeIdentityOrThrow(const config::Config& config, const Clock& clock) {
  auto identity = MakeIdentity(config, clock);
  if (!identity) throw std::runtime_error(identity.error());
  return std::move(*identity);
}

std::vector<http::ShownSetting> ShownSettings(const config::Settings& settings) {
  std::vector<http::ShownSetting> shown;
  for (const auto& [name, setting] : settings)
    shown.push_back({name, config::Shown(name, setting), setting.origin});
  return shown;
}

// Members are constructed in declaration order and destroyed in reverse.
class Node final : public Application {
 public:
  Node(embedded::DataFolder folder, const config::Config& config, const std::string& admin_key)
      : folder_(std::move(folder)),
        settings_(config.settings),
        back_ends_(config.mysql ? MakeSharedBackEnds(config, metrics_)
                                : MakeEmbeddedBackEnds(folder_, config, metrics_)),
        ports_(back_ends_->ports()),
        identity_(MakeIdentityOrThrow(config, ports_.clock)),
        answers_(ports_.answers, ports_.clock),
        idempotency_(answers_),
        ranking_(ports_, movements_, config, metrics_),
        bookings_(ports_, {*identity_, metrics_, idempotency_, config}),
        outside_(
            {.allow_private = config.webhooks.allow_private, .ca_file = config.webhooks.ca_file.string()}),
        rooms_{.store = ports_.rooms,
               .keys = ports_.keys,
               .clock = ports_.clock,
               .booking = &ports_.bookings,
               .lost = ports_.lost,
               .probe = &outside_,
               .emergency = &ports_.emergency},
        float_rooms_(ports_.rooms, outside_, ports_.clock, metrics_),
        streams_(rooms_),
        manage_keys_(ports_.operator_keys, random_, ports_.clock),
        maintenance_(ports_.emergency, ports_.clock),
        file_key_(Sha256(admin_key)),
        sessions_({ports_.keys, ports_.clock,
                   [this](const Digest& digest) { return FindAnyOperator(digest); }, config.public_url}),
        readiness_(config, ports_),
        rehearsals_(ports_, rooms_, bookings_.concerts(), config),
        erase_user_({ports_.persons, ports_.rooms, ports_.emergency, ports_.keys, random_, ports_.clock}),
        webhooks_(ports_, outside_, metrics_, [this] { return server_ && server_->draining(); }),
        pages_(std::make_shared<const http::PageLibrary>(config.http.frame_ancestors, SiteTextsOf(config))),
        error_pages_(pages_),
        maintenance_page_(pages_) {
    metrics_.AddFamiliesOf(
        [this, most = config.metrics_rooms] { return MeasureRooms(ReadRoom(rooms_).Stats(), most); });
    metrics_.AddGaugeOf("maejin_clock_offset_seconds",
                        "The machine's clock minus the time that this server uses.",
                        [this] { return static_cast<double>(ClockOffset().count()) / 1000; });
    AddNodeMetrics(metrics_, config.data, back_ends_->Checks());
    reloads_[0] = &metrics_.AddCounter("maejin_reloads_total", "Reloads of the configuration, by result.",
                                       {{"result", "applied"}});
    reloads_[1] = &metrics_.AddCounter("maejin_reloads_total", "Reloads of the configuration, by result.",
                                       {{"result", "refused"}});
    AddRoutes(config);
    server_.emplace(
        router_, ServerOptionsOf(config),
        http::ServerDependencies{
            .admin_key = http::AdminKey(admin_key),
            .find_operator = [this](const Digest& digest) { return FindOperator(digest); },
            .find_session = [this](const http::Request& request) { return FindSession(request); },
            .problems = error_pages_,
            .metrics = &metrics_,
            .is_privileged = [this](const http::Request& request) { return HoldsSlot(request); },
            .intercept = [this](const http::Route& route, const http::Request& request,
                                http::Response& response) { return Intercept(route, request, response); },
            .copy_age = [this] { return ports_.bookings.AgeAtOnce(); },
            .tickets = [this] { return http::TicketSecretsAt(ports_.keys, ports_.clock.Now()); }});
    back_ends_->Attach(*server_);
    rooms_ticker_.emplace(kRoomsEvery, [this] { ports_.rooms.Tick(ports_.clock.Now()); });
    bookings_.FollowConcerts();
    follow_ticker_.emplace(kTickEvery, [this] { bookings_.FollowConcerts(); });
    bookings_ticker_.emplace(kTickEvery, [this] { bookings_.Expire(); });
    seats_ticker_.emplace(kTickEvery, [this] { bookings_.TickStreams(); });
    if (config.retention.count() > 0) {
      privacy_ticker_.emplace(kEraseEvery, [this, kept = config.retention] { ErasePast(kept); });
    }
    events_ticker_.emplace(kPruneEventsEvery, [this, days = config.events_keep_days] {
      ports_.events.Prune(ports_.clock.Now() - std::chrono::days(days));
      ports_.emergency.Prune(ports_.clock.Now());
    });
    float_ticker_.emplace(kFloatTickEvery, [this] { float_rooms_.Tick(); });
    streams_ticker_.emplace(kStreamsEvery, [this] { streams_.Tick(); });
    refusals_ticker_.emplace(kRefusalsEvery, [this] { bookings_.StoreRefusals(); });
    series_ticker_.emplace(kSeriesEvery, [this] { bookings_.KeepSeries(); });
    if (!config.backup.folder.empty()) backups_.emplace(config, ports_.clock, metrics_);
  }

  ~Node() override {
    rehearsals_.Stop();
    readiness_.Stop();
    backups_.reset();
    certificate_.Close();
    webhooks_.Stop();
    outside_.Stop();  // ends probes in flight
    float_ticker_.reset();
    privacy_ticker_.reset();
    rooms_ticker_.reset();
    follow_ticker_.reset();
    bookings_ticker_.reset();
    seats_ticker_.reset();
    streams_ticker_.reset();
    events_ticker_.reset();
    refusals_ticker_.reset();
    series_ticker_.reset();
    // In-flight payments resume on the server's io_contexts: the contexts must exist, but no thread may run
    // them.
    server_->Stop();
    server_->Wait();
    bookings_.StoreRefusals();
    bookings_.payments().Stop();
    back_ends_->Detach();
    server_.reset();
    ranking_.StopUpkeep();
  }

  Result<Done, std::string> Listen(const config::Config& config, std::optional<int> socket) {
    http::ListenerOptions main;
    main.tls = !config.tls_cert_file.empty();
    if (config.admin_listen) main.serves = http::ListenerOptions::Serves::kPublic;
    if (main.tls) {
      const auto loaded = certificate_.Open(*server_, {config.tls_cert_file, config.tls_key_file}, metrics_);
      if (!loaded) return loaded.error();
    }
    const auto address = config.listen.ToString();
    auto bound = socket ? server_->ListenOn(*socket, address, main) : server_->Listen(address, main);
    if (!bound) return bound.error();
    url_ = (main.tls ? "https://" : "http://") + bound->text;
    auto local = url_;
    if (config.admin_listen || main.tls) {
      // Commands on this machine use plain HTTP: on the operators' address, or on a loopback port.
      http::ListenerOptions operators;
      operators.flag = "--admin-listen";
      auto own =
          server_->Listen(config.admin_listen ? config.admin_listen->ToString() : "127.0.0.1:0", operators);
      if (!own) return own.error();
      local = "http://" + own->text;
      LogInfo("operators: {}", local);
    }
    if (config.redirect_listen) {
      http::ListenerOptions redirect{http::ListenerOptions::Serves::kRedirect};
      redirect.https_port =
          static_cast<std::uint16_t>(std::stoi(bound->text.substr(bound->text.rfind(':') + 1)));
      redirect.flag = "--http-redirect-listen";
      const auto opened = server_->Listen(config.redirect_listen->ToString(), redirect);
      if (!opened) return opened.error();
    }
    folder_.Announce(local);
    rehearsals_.SetUrl(local);
    server_->Start();
    ranking_.StartUpkeep();
    bookings_.payments().Start();
    webhooks_.Start();
    return Done{};
  }

  std::string url() const override { return url_; }
  const http::Router& router() const override { return router_; }
  Result<ReloadReport, std::string> Reload(const config::Config& config) override {
    const std::lock_guard lock(settings_mutex_);
    auto report = CompareSettings(settings_, config.settings);
    auto reloaded = certificate_.Reload();
    if (reloaded) reloaded = server_->Reload(ServerOptionsOf(config));
    reloads_[reloaded ? 0 : 1]->Add();
    if (!reloaded) return reloaded.error();
    SetLogLevel(config.log_level);
    SetLogFormat(config.log_format);
    for (const auto& name : report.changed) settings_[name] = config.settings.at(name);
    return report;
  }
  bool Responds(Millis limit) override {
    const auto executors = server_->executors();
    const auto answered = std::make_shared<std::counting_semaphore<>>(0);
    for (const auto& executor : executors) boost::asio::post(executor, [answered] { answered->release(); });
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (std::size_t i = 0; i < executors.size(); ++i)
      if (!answered->try_acquire_until(deadline)) return false;
    return true;
  }
  void Drain() override {
    rehearsals_.Stop();
    server_->Drain();
    server_->Wait();
    back_ends_->Flush();
  }

 private:
  void AddRoutes(const config::Config& config) {
    http::AddHealthRoutes(router_, {.metrics = &metrics_,
                                    .checks = back_ends_->Checks(),
                                    .clock_offset = [this] { return ClockOffset(); },
                                    .draining = [this] { return server_ && server_->draining(); }});
    http::AddWaitingRoomRoutes(router_, {.parts = rooms_,
                                         .identity = *identity_,
                                         .idempotency = idempotency_,
                                         .streams = &streams_,
                                         .rotate_keys = [this](std::string actor) {
                                           return back_ends_->RotateKeys(std::move(actor));
                                         }});
    http::AddGateRoutes(router_, {.parts = rooms_,
                                  .public_url = config.public_url,
                                  .own_url = [this] { return url_; },
                                  .is_closed = [this] { return maintenance_.Since().has_value(); }});
    bookings_.AddRoutes(router_);
    ranking_.AddRoutes(router_);
    http::AddUserRoutes(router_, erase_user_);
    http::AddKeyRoutes(router_, manage_keys_);
    http::AddMaintenanceRoutes(router_, maintenance_);
    rehearsals_.AddRoutes(router_);
    http::AddSessionRoutes(router_, sessions_, metrics_);
    http::AddReadinessRoutes(
        router_, {.examine = [this](std::optional<ConcertId> sale) { return readiness_.Examine(sale); },
                  .meaning = MeaningOf});
    http::AddPagesRoutes(
        router_, {.clock = ports_.clock,
                  .plain = {.room = rooms_,
                            .identity = *identity_,
                            .concert = [this](std::string_view event) { return PlainConcertOf(event); },
                            .zone = TimeZone::Find(config.timezone).value(),
                            .public_url = config.public_url},
                  .booking = bookings_.plain_booking(),
                  .library = pages_,
                  .public_url = config.public_url});
    http::AddEventRoutes(
        router_,
        ReadEvents(ports_.events, [this] { return server_ && server_->draining(); }, &webhooks_.progress()));
    webhooks_.AddRoutes(router_);
    http::AddSystemRoutes(router_, {.audit = ReadAudit(ports_.audit),
                                    .version = MAEJIN_VERSION,
                                    .started_at = ports_.clock.Now(),
                                    .back_ends = back_ends_->Descriptions(),
                                    .settings = [this] {
                                      const std::lock_guard lock(settings_mutex_);
                                      return ShownSettings(settings_);
                                    }});
    http::AssignRoles(router_);
  }

  std::optional<http::OperatorIdentity> FindOperator(const Digest& digest) const {
    const auto key = manage_keys_.Find(digest);
    if (!key) return {};
    return http::OperatorIdentity{ManageKeys::ActorOf(*key), key->role};
  }

  // Like FindOperator(), but also finds the key of the admin key file.
  std::optional<http::OperatorIdentity> FindAnyOperator(const Digest& digest) const {
    if (EqualInConstantTime(AsText(digest), AsText(file_key_)))
      return http::OperatorIdentity{std::string(kFileKeyActor), OperatorRole::kOwner};
    return FindOperator(digest);
  }

  std::optional<Outcome<http::OperatorIdentity>> FindSession(const http::Request& request) const {
    auto session = sessions_.Find(request);
    if (!session) return {};
    if (!session->ok()) return Outcome<http::OperatorIdentity>(session->error());
    return Outcome<http::OperatorIdentity>(std::move((*session)->identity));
  }

  // Fans inside are served on reserved connections too: their slots would end otherwise.
  bool HoldsSlot(const http::Request& request) const {
    const auto text = http::QueueTokenIn(request);
    PlaceToken token;
    if (text.empty() || !token.Read(ports_.keys, text)) return false;
    const auto place = ports_.rooms.PeekAtOnce(token.place(), ports_.clock.Now());
    // Absent: only Redis knows the place. Most fans inside have such a place, so the fan counts as one.
    if (!place) return true;
    return place->ok() && (*place)->standing.status == PlaceStatus::kEntered;
  }

  // The console also reads what fans read. Its operators see the maintenance page where fans see it.
  bool ReadsForConsole(const http::Route& route, const http::Request& request) const {
    const bool reads = request.method == http::Method::kGet || request.method == http::Method::kHead;
    if (!reads || !route.pattern.starts_with("/api/")) return false;
    const auto session = sessions_.Find(request);
    return session && session->ok();
  }

  bool Intercept(const http::Route& route, const http::Request& request, http::Response& response) const {
    if (!maintenance_.Since() || http::MaintenancePage::Serves(route) || ReadsForConsole(route, request))
      return false;
    maintenance_page_.Answer(request, response);
    return true;
  }

  // Each tick erases the users of a bounded number of past reservations.
  void ErasePast(std::chrono::days kept) {
    const auto erased = RunTask(erase_user_.Past(kept));
    if (erased && *erased > 0) LogInfo("privacy: erased the users of {} past reservations", *erased);
  }

  Millis ClockOffset() const {
    const auto machine = std::chrono::system_clock::now();
    return std::chrono::duration_cast<Millis>(machine - ports_.clock.Now());
  }

  // The concert as shown on the waiting page without JavaScript.
  std::optional<http::PlainConcert> PlainConcertOf(std::string_view event) const {
    const auto id = ConcertOf(event);
    if (!id) return {};
    auto concert = ports_.bookings.FindConcert(*id, ports_.clock.Now());
    if (!concert) return {};
    auto& details = concert->details;
    http::PlainConcert shown{std::move(details.title), std::move(details.artist), std::move(details.venue),
                             details.booking_open_at,
                             details.room == RoomKind::kMain ? std::string(kMainRoom) : std::string(event)};
    shown.id = *id;
    for (const auto& date : concert->schedules) {
      if (date.cancelled) continue;
      shown.shows.push_back({date.id, date.date, date.starts_at, date.counts.available, date.ended});
    }
    shown.has_room = details.room != RoomKind::kNone;
    shown.max_seats = details.max_seats_per_user;
    shown.status = concert->status;
    shown.color = details.color;
    shown.organizer = std::move(details.organizer);
    shown.price_from = concert->LowestPrice();
    shown.poster = ports_.posters.FindAtOnce(*id);
    shown.logo = ports_.logos.FindAtOnce(*id);
    return shown;
  }

  embedded::DataFolder folder_;
  std::mutex settings_mutex_;
  config::Settings settings_;  // those in force; guarded by settings_mutex_
  Metrics metrics_;
  http::RankingStream movements_{
      static_cast<std::uint64_t>(ToMillis(SystemClock().Now()))};  // outlives the stores, which publish to it
  std::unique_ptr<BackEnds> back_ends_;
  const BackEnds::Ports ports_;
  std::unique_ptr<http::Identity> identity_;
  AnswerOnce answers_;
  http::Idempotency idempotency_;
  RankingModule ranking_;
  BookingModule bookings_;
  webhook::CurlClient outside_;  // webhooks, and probes of sites
  const RoomContext rooms_;
  FloatRooms float_rooms_;
  http::RoomStreams streams_;
  SystemRandom random_;
  ManageKeys manage_keys_;
  ManageMaintenance maintenance_;
  const Digest file_key_;
  http::ConsoleSessions sessions_;
  Readiness readiness_;
  RehearsalModule rehearsals_;
  EraseUser erase_user_;
  WebhookModule webhooks_;
  const std::shared_ptr<const http::PageLibrary> pages_;
  const http::ErrorPages error_pages_;
  const http::MaintenancePage maintenance_page_;
  http::Router router_;
  std::optional<http::Server> server_;
  std::string url_;
  WatchedCertificate certificate_;
  std::array<Counter*, 2> reloads_{};  // applied, refused
  // Last: tickers use the stores. Each has its own thread, because expiring bookings may block on the
  // database.
  std::optional<ScheduledBackups> backups_;
  std::optional<Ticker> privacy_ticker_;
  std::optional<Ticker> streams_ticker_;
  std::optional<Ticker> events_ticker_;
  std::optional<Ticker> refusals_ticker_;
  std::optional<Ticker> series_ticker_;
  std::optional<Ticker> float_ticker_;
  std::optional<Ticker> bookings_ticker_;
  std::optional<Ticker> seats_ticker_;
  std::optional<Ticker> rooms_ticker_;
  std::optional<Ticker> follow_ticker_;
};

Result<config::Secret, std::string> AdminKeyOf(const config::Config& config) {
  SystemRandom random;
  // Only the default key file, inside the data folder, is created when missing.
  if (config.admin_key_file != config.data / "admin.key")
    return config::ReadSecret(config.admin_key_file, "admin key");
  auto key = config::ReadOrCreateSecret(config.admin_key_file, "admin key", random);
  if (key && key->created) LogInfo("created the admin key: {}", config.admin_key_file.string());
  return key;
}

}  // namespace

Result<std::unique_ptr<Application>, std::string> Application::Start(const config::Config& config,
                                                                     Options options) {
  auto folder = embedded::DataFolder::Open(config.data, options.missing);
  if (!folder) return folder.error();
  auto key = AdminKeyOf(config);
  if (!key) return key.error();
  try {
    auto application = std::make_unique<Node>(std::move(*folder), config, key->text);
    auto listening = application->Listen(config, options.socket);
    if (!listening) return listening.error();
    return std::unique_ptr<Application>(std::move(application));
  } catch (const RedisUnfit& error) {
    return std::string(error.what());
  } catch (const std::exception& error) {
    if (config.mysql) return fmt::format("cannot start: {}", error.what());
    return fmt::format("cannot start on the data folder {}: {}", config.data.string(), error.what());
  }
}

}  // namespace maejin::app
