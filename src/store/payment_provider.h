// The port of payment providers: whoever takes the customer's money and gives it back.
//
// Every call names the payment by our own key (PaymentId), which the provider keeps for ever: charging twice with one key
// takes the money once. An answer is certain; where there is none (ProviderFailure) nobody knows, and whoever asked asks
// again. Nothing of ours is locked while a provider thinks. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "domain/booking/payment.h"

namespace maejin {

// What a provider has under one of our keys.
enum class MoneyState : std::uint8_t {
  kNone,      // it never heard of the key
  kPending,   // it is at it, or will tell later by itself
  kCaptured,  // it has the money
  kDeclined,  // it has no money under this key, and never will
  kReturned,  // it had the money and gave it back; it will not take it again
};

enum class ProviderFailure : std::uint8_t {
  kUnknown,      // no answer in time, or one that cannot be understood: it may have happened
  kUnavailable,  // the provider was not reached, or said that it did nothing
};

using ProviderAnswer = Result<MoneyState, ProviderFailure>;

// One payment, as a provider needs to know it.
struct MoneyOrder {
  PaymentId key;
  Money amount = 0;
  std::string method;  // the customer's word for it ("card"), or empty
};

class PaymentProvider {
 public:
  virtual ~PaymentProvider() = default;

  // "sandbox": written with every payment that is begun with it.
  virtual std::string_view name() const = 0;

  // Takes the money, once per key. kCaptured, kDeclined, kReturned (given back before: not taken again), kPending.
  virtual Task<ProviderAnswer> Charge(MoneyOrder order) = 0;
  // What became of the key.
  virtual Task<ProviderAnswer> Ask(PaymentId key) = 0;
  // Gives back what was taken under the key, once, and closes the key, so that a charge which is still on its way takes
  // nothing. kReturned, kDeclined (nothing was taken), kPending (under way).
  virtual Task<ProviderAnswer> Refund(MoneyOrder order) = 0;
};

}  // namespace maejin
