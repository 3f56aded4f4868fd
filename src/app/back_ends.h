// The back end of a node: the stores behind the ports, their health checks and their keys. The rest of the
// program is the same for every back end.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/key_ring.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/lost_span.h"
#include "http/admin/health_routes.h"
#include "server/server.h"
#include "store/audit_store.h"
#include "store/booking_counters.h"
#include "store/booking_operations.h"
#include "store/booking_store.h"
#include "store/emergency_store.h"
#include "store/event_feed.h"
#include "store/idempotency_store.h"
#include "store/operator_key_store.h"
#include "store/person_store.h"
#include "store/picture_store.h"
#include "store/ranking_store.h"
#include "store/refusal_log.h"
#include "store/sale_series.h"
#include "store/seat_lock.h"
#include "store/sold_out_corrections.h"
#include "store/waiting_room_store.h"
#include "store/webhook_store.h"

namespace maejin::app {

// A store that gets no call and no tick for this long (on Redis: from no node) assumes that clients could not
// reach it. It does not count that time against fans.
inline constexpr Millis kPauseAfter{2000};

class BackEnds {
 public:
  virtual ~BackEnds() = default;

  // All references live as long as the BackEnds object.
  struct Ports {
    const Clock& clock;
    const KeyRing& keys;
    WaitingRoomStore& rooms;
    BookingStore& bookings;
    BookingOperations& operations;
    PersonStore& persons;
    RankingStore& rankings;
    SoldOutCorrections& corrections;
    IdempotencyStore& answers;
    AuditStore& audit;
    EventFeed& events;
    OperatorKeyStore& operator_keys;
    WebhookStore& webhooks;
    EmergencyStore& emergency;
    RefusalLog& refusals;
    SaleSeries& series;
    BookingCounters& counters;
    PictureStore& posters;
    PictureStore& logos;
    SeatLock* seat_lock;                  // null: this node is the only one that holds seats
    std::span<const LostSpan> lost = {};  // from a backup to its restore
  };
  virtual Ports ports() = 0;

  // Signs new tokens and passes with new keys; the audit log names `actor`. Refuses: kUnavailable,
  // kInvalidField (this server cannot rotate its keys).
  virtual Task<Outcome<Done>> RotateKeys(std::string actor) = 0;
  // The checks of /readyz.
  virtual std::vector<http::ReadinessCheck> Checks() const = 0;
  // "bookings" → "embedded, maejin-data/maejin.db". Contains no secrets.
  virtual std::vector<std::pair<std::string, std::string>> Descriptions() const = 0;

  // Attach is called once, before the server starts and after all event listeners are set. Detach is called
  // before the server is destroyed.
  virtual void Attach(http::Server& server) = 0;
  virtual void Detach() = 0;
  // Blocks until every acknowledged change is on disk. Called at shutdown.
  virtual void Flush() = 0;
};

}  // namespace maejin::app
