#include "app/mysql_module.h"

#include "adapters/mysql/key_store.h"
#include "adapters/mysql/migrations.h"
#include "adapters/mysql/time_mark.h"
#include "base/log.h"
#include "base/run_task.h"

namespace maejin::app {
namespace {

constexpr Millis kRefreshEvery{20};
constexpr Millis kRelayEvery{50};
constexpr Millis kDatabaseUpkeepEvery{1000};
constexpr Seconds kPruneAnswersEvery{60};

// Runs `work` on a connection outside the pool: the schema is migrated before the pool exists.
template <class Work>
auto OnConnection(const mysql::ServerOptions& server, Work work) {
  try {
    mysql::Connection connection(server);
    return work(connection);
  } catch (const mysql::MysqlError& error) {
    throw std::runtime_error(error.what());
  }
}

mysql::ServerOptions Migrated(const mysql::ServerOptions& server) {
  OnConnection(mysql::WithLongTimeouts(server),
               [](mysql::Connection& connection) { return mysql::Migrate(connection); });
  return server;
}

std::unique_ptr<KeyRing> KeysIn(const mysql::ServerOptions& server, Random& random) {
  return OnConnection(server,
                      [&](mysql::Connection& connection) { return mysql::OpenKeys(connection, random); });
}

}  // namespace

MysqlModule::MysqlModule(Options options, TimeKeeper& time, Random& random, Metrics& metrics)
    : time_(time),
      clock_(time.clock()),
      random_(random),
      pool_(Migrated(options.url.server), options.url.pool),
      description_("MariaDB, " + mysql::Redacted(options.url.server)),
      own_keys_(!options.keys),
      keys_(options.keys ? std::move(options.keys) : KeysIn(options.url.server, random)),
      counters_(metrics),
      bookings_(pool_, random),
      persons_(pool_, random),
      answers_(pool_, random),
      audit_(pool_),
      events_(pool_),
      operator_keys_(pool_),
      webhooks_(pool_),
      emergency_(pool_),
      posters_(PictureKind::kPoster, pool_),
      logos_(PictureKind::kLogo, pool_),
      history_(pool_),
      admissions_(pool_),
      refusals_(pool_),
      series_(pool_),
      audit_mark_(mysql::AuditMark::FileIn(options.data), *keys_) {
  OnConnection(options.url.server, [this](mysql::Connection& connection) {
    time_.Resume(mysql::ReadTimeMark(connection));
    audit_mark_.Follow(connection);
    operator_keys_.Refresh(connection);
    emergency_.Refresh(connection, clock_.Now());
    posters_.Refresh(connection);
    logos_.Refresh(connection);
  });
  bookings_.CountWith(counters_);
  if (!bookings_.Load(clock_.Now())) throw std::runtime_error("the database does not answer");
  AddMetrics(metrics);
}

Task<Outcome<Done>> MysqlModule::RotateKeys(std::string actor) {
  if (!own_keys_) {
    co_return Refused{Refusal::kInvalidField,
                      "keys: in the folder given by --keys. Stop this node, run maejin keys rotate with the "
                      "same flags, copy the folder to every node and restart them"};
  }
  const auto rotate = [this, actor, now = clock_.Now()](mysql::Connection& connection,
                                                        const mysql::Attempt&) -> Outcome<Done> {
    mysql::AddNewestKeys(connection, random_);
    mysql::AppendAudit(connection, {now, actor, "keys.rotate", "signing keys", ""});
    return Done{};
  };
  const auto rotated = co_await pool_.Write(rotate);
  if (!rotated) co_return rotated.error();
  // Installed after the commit. If this read fails, Upkeep() installs the keys.
  const auto install = [this](mysql::Connection& connection) -> Outcome<Done> {
    mysql::RefreshKeys(connection, *keys_);
    return Done{};
  };
  (void)co_await pool_.Read(install);
  co_return Done{};
}

void MysqlModule::Start(RankingStore& boards) {
  relay_.emplace(pool_, [this, &boards](std::vector<BookingEvent> events) {
    const auto count = events.size();
    const bool applied = RunTask(boards.Apply(std::move(events))).ok();
    if (applied) relayed_events_ += count;
    return applied;
  });
  time_.Start([this](Time now) { mysql::WriteTimeMark(pool_, now); });
  refresh_.emplace(kRefreshEvery, [this] { bookings_.RefreshOften(); });
  relaying_.emplace(kRelayEvery, [this] { RelaySome(); });
  numbering_.emplace(kRelayEvery, [this] { events_.NumberEvents(); });
  upkeep_.emplace(kDatabaseUpkeepEvery, [this] { Upkeep(); });
}

void MysqlModule::Stop() {
  time_.Stop();
  refresh_.reset();
  relaying_.reset();
  numbering_.reset();
  upkeep_.reset();
}

// Events that the boards did not take are relayed again at the next tick.
void MysqlModule::RelaySome() {
  if (!pool_.Connected()) return;
  (void)relay_->RunUntilEmpty();
}

void MysqlModule::Upkeep() {
  if (!pool_.Connected()) return;
  const auto now = clock_.Now();
  (void)RunTask(pool_.Read([this, now](mysql::Connection& connection) -> Outcome<Done> {
    if (own_keys_ && mysql::RefreshKeys(connection, *keys_)) LogInfo("database: loaded new signing keys");
    operator_keys_.Refresh(connection);
    emergency_.Refresh(connection, now);
    posters_.Refresh(connection);
    logos_.Refresh(connection);
    auto row = connection.Query("SELECT COUNT(*) FROM outbox");
    row.Next();
    waiting_events_ = row.Int(0);
    return Done{};
  }));
  (void)RunTask(pool_.Read([this](mysql::Connection& connection) -> Outcome<Done> {
    audit_mark_.Follow(connection);
    return Done{};
  }));
  answers_.RetryUnwritten();
  if (now < next_answer_prune_) return;
  next_answer_prune_ = now + kPruneAnswersEvery;
  answers_.Forget(now);
}

void MysqlModule::AddMetrics(Metrics& metrics) {
  const auto count = [&](const char* name, const char* help, std::uint64_t mysql::PoolCounts::* which) {
    metrics.AddCounterOf(name, help, [this, which] { return static_cast<double>(pool_.counts().*which); });
  };
  using Counts = mysql::PoolCounts;
  count("maejin_database_transactions_total", "Transactions committed or rolled back.",
        &Counts::transactions);
  count("maejin_database_shared_total", "Holds and payments that shared a transaction with others.",
        &Counts::shared);
  count("maejin_database_round_trips_total", "Statements and commands sent.", &Counts::round_trips);
  count("maejin_database_conflicts_total",
        "Attempts repeated after a deadlock, a lock timeout or a changed row.", &Counts::conflicts);
  count("maejin_database_losses_total", "Connections lost while in use.", &Counts::losses);
  count("maejin_database_unknown_commits_total", "Commits whose answer was lost.", &Counts::unknown_commits);
  count("maejin_database_refused_total", "Requests refused because the database was unreachable or busy.",
        &Counts::refused);
  metrics.AddGaugeOf("maejin_database_connections", "Open connections.",
                     [this] { return static_cast<double>(pool_.connections()); });
  metrics.AddGaugeOf("maejin_database_queue", "Requests that wait for a connection.",
                     [this] { return static_cast<double>(pool_.waiting()); });
  metrics.AddGaugeOf("maejin_outbox_waiting", "Booking events that are not yet applied to the boards.",
                     [this] { return static_cast<double>(waiting_events_.load()); });
  metrics.AddCounterOf("maejin_outbox_told_total", "Booking events that this node applied to the boards.",
                       [this] { return static_cast<double>(relayed_events_.load()); });
}

}  // namespace maejin::app
