// Builds everything that uses MariaDB or MySQL: pool, schema, keys, stores, and their background tasks.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "adapters/mysql/admission_log.h"
#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/audit_mark.h"
#include "adapters/mysql/booking_store.h"
#include "adapters/mysql/emergency_store.h"
#include "adapters/mysql/event_feed.h"
#include "adapters/mysql/idempotency_store.h"
#include "adapters/mysql/operator_key_store.h"
#include "adapters/mysql/outbox.h"
#include "adapters/mysql/person_store.h"
#include "adapters/mysql/picture_store.h"
#include "adapters/mysql/ranking_history.h"
#include "adapters/mysql/refusal_log.h"
#include "adapters/mysql/sale_series.h"
#include "adapters/mysql/webhook_store.h"
#include "app/time_keeper.h"
#include "base/clock.h"
#include "base/key_ring.h"
#include "base/metrics.h"
#include "base/ticker.h"
#include "store/ranking_store.h"

namespace maejin::app {

class MysqlModule {
 public:
  struct Options {
    const mysql::DatabaseUrl& url;
    std::filesystem::path data;     // the node's data folder
    std::unique_ptr<KeyRing> keys;  // null: uses the keys in the database
  };
  // Connects, migrates the schema and loads the caches. The references outlive the module. Throws
  // std::runtime_error with a sentence for the operator.
  MysqlModule(Options options, TimeKeeper& time, Random& random, Metrics& metrics);

  mysql::MysqlBookingStore& bookings() { return bookings_; }
  mysql::MysqlPersonStore& persons() { return persons_; }
  mysql::MysqlIdempotencyStore& answers() { return answers_; }
  mysql::MysqlAuditStore& audit() { return audit_; }
  mysql::MysqlEventFeed& events() { return events_; }
  mysql::MysqlOperatorKeyStore& operator_keys() { return operator_keys_; }
  mysql::MysqlWebhookStore& webhooks() { return webhooks_; }
  mysql::MysqlEmergencyStore& emergency() { return emergency_; }
  mysql::MysqlPictureStore& posters() { return posters_; }
  mysql::MysqlPictureStore& logos() { return logos_; }
  mysql::MysqlRankingHistory& history() { return history_; }
  mysql::MysqlAdmissionLog& admissions() { return admissions_; }
  mysql::MysqlRefusalLog& refusals() { return refusals_; }
  mysql::MysqlSaleSeries& series() { return series_; }
  BookingCounters& counters() { return counters_; }
  const KeyRing& keys() const { return *keys_; }
  bool connected() const { return pool_.Connected(); }
  // "MariaDB, mysql://user@host:port/database".
  const std::string& description() const { return description_; }

  // The error is a sentence for the operator.
  Task<Outcome<Done>> RotateKeys(std::string actor);

  // Starts the background tasks. They load changes of other nodes, relay booking events to the boards, number
  // the events of the feed, write the time mark and prune stored answers.
  void Start(RankingStore& boards);
  // Stops the background tasks. Call it before the boards are destroyed.
  void Stop();

 private:
  void AddMetrics(Metrics& metrics);
  void RelaySome();
  void Upkeep();

  TimeKeeper& time_;
  const Clock& clock_;
  Random& random_;
  mysql::Pool pool_;
  std::string description_;
  bool own_keys_;  // true: the ring is loaded from the database
  std::unique_ptr<KeyRing> keys_;
  BookingCounters counters_;
  mysql::MysqlBookingStore bookings_;
  mysql::MysqlPersonStore persons_;
  mysql::MysqlIdempotencyStore answers_;
  mysql::MysqlAuditStore audit_;
  mysql::MysqlEventFeed events_;
  mysql::MysqlOperatorKeyStore operator_keys_;
  mysql::MysqlWebhookStore webhooks_;
  mysql::MysqlEmergencyStore emergency_;
  mysql::MysqlPictureStore posters_;
  mysql::MysqlPictureStore logos_;
  mysql::MysqlRankingHistory history_;
  mysql::MysqlAdmissionLog admissions_;
  mysql::MysqlRefusalLog refusals_;
  mysql::MysqlSaleSeries series_;
  mysql::AuditMark audit_mark_;  // upkeep thread only
  std::optional<mysql::OutboxRelay> relay_;
  std::atomic<std::int64_t> waiting_events_{0};
  std::atomic<std::uint64_t> relayed_events_{0};
  Time next_answer_prune_{};  // upkeep thread only
  // Last: tickers use the stores. Each has its own thread, because each may block on the database.
  std::optional<Ticker> refresh_;
  std::optional<Ticker> relaying_;
  std::optional<Ticker> numbering_;
  std::optional<Ticker> upkeep_;
};

}  // namespace maejin::app
