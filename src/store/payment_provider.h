// The port of payment providers, which take the customer's money and return it.
//
// Every call names the payment by our key (PaymentId), which the provider keeps for ever: two charges with
// one key take the money once. After a ProviderFailure the caller must ask again, because the provider may
// have executed the call. The caller holds no lock during a call. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "domain/booking/payment.h"

namespace maejin {

// The provider's state of one key.
enum class MoneyState : std::uint8_t {
  kNone,      // the key is unknown to the provider
  kPending,   // in progress; the provider may report the result without being asked
  kCaptured,  // the provider has taken the money
  kDeclined,  // no money was taken under this key, and none will be
  kReturned,  // taken and returned; a charge with this key takes nothing
};

enum class ProviderFailure : std::uint8_t {
  kUnknown,      // no valid response in time: the call may have been executed
  kUnavailable,  // the provider was not reached, or reported that it did nothing
};

using ProviderAnswer = Result<MoneyState, ProviderFailure>;

// The ids of the request that caused a call, for the logs of maejin and of the provider; empty: none.
struct RequestTrace {
  std::string request_id;
  std::string traceparent;
};

// One payment, as the provider sees it.
struct MoneyOrder {
  PaymentId key;
  Money amount = 0;
  std::string method;  // the customer's choice, e.g. "card"; may be empty
  RequestTrace trace = {};
};

class PaymentProvider {
 public:
  virtual ~PaymentProvider() = default;

  // E.g. "sandbox"; stored with every payment that is begun.
  virtual std::string_view name() const = 0;
  // False: Ask() always returns kPending, because the provider only reports by itself. The settle worker then
  // does not ask.
  virtual bool can_be_asked() const { return true; }

  // Takes the money, once per key. Returns kCaptured, kDeclined, kPending, or kReturned (already refunded).
  virtual Task<ProviderAnswer> Charge(MoneyOrder order) = 0;
  // The current state of the key.
  virtual Task<ProviderAnswer> Ask(PaymentId key) = 0;
  // Returns the money of the key, once, and closes the key: a charge in flight then takes nothing. Returns
  // kReturned, kDeclined (nothing was taken), or kPending.
  virtual Task<ProviderAnswer> Refund(MoneyOrder order) = 0;
};

}  // namespace maejin
