#include "app/payment_part.h"

#include <stdexcept>

#include "adapters/payment/callback_provider.h"
#include "adapters/payment/measured_provider.h"
#include "adapters/payment/sandbox_provider.h"
#include "base/log.h"
#include "base/run_task.h"
#include "config/secret_file.h"
#include "http/booking/payment_routes.h"

namespace maejin::app {
namespace {

constexpr Millis kSettleEvery{500};
// Beyond the provider's own deadline nobody is at a payment any more.
constexpr Millis kMargin{1000};

config::Secret CallbackSecret(const config::Config& config) {
  SystemRandom random;
  const auto& file = config.payment.callback_secret_file;
  // Only the folder's own secret is ours to create.
  const bool ours = file == config.data / "payment.secret";
  constexpr auto kLines = config::SecretLines::kAll;
  auto secret = ours ? config::ReadOrCreateSecret(file, "payment secret", random, kLines)
                     : config::ReadSecret(file, "payment secret", kLines);
  if (!secret) throw std::runtime_error(secret.error());
  if (secret->created) LogInfo("the payment secret was created: {}", file.string());
  return std::move(*secret);
}

}  // namespace

PaymentPart::PaymentPart(const config::Config& config, const Parts& parts)
    : parts_(parts), metrics_(parts.metrics) {
  options_.grace = config.payment.deadline + kMargin;
  Choose(config);
  parts_.metrics.AddGaugeOf(
      "maejin_payments_unsettled",
      "Payments that wait for their provider longer than a request does, and refunds that are due; "
      "at most 10000 are counted.",
      [this] { return settle_ ? static_cast<double>(settle_->unsettled()) : 0.0; });
  if (!provider_) return;
  measured_ = std::make_unique<payment::MeasuredProvider>(*provider_, parts_.metrics);
  advance_.emplace(AdvancePayment::Parts{parts_.bookings, parts_.rooms, *measured_, parts_.clock, metrics_});
  if (signature_) accept_.emplace(parts_.bookings, *advance_, parts_.clock);
  settle_.emplace(parts_.bookings, *advance_, parts_.clock, options_);
}

PaymentPart::~PaymentPart() { Stop(); }

void PaymentPart::Choose(const config::Config& config) {
  switch (config.payment.provider) {
    case config::PaymentKind::kInstant:
      return;
    case config::PaymentKind::kSandbox:
      OpenPool(config.payment.sandbox, config, {});
      provider_ = std::make_unique<payment::SandboxProvider>(*pool_);
      return;
    case config::PaymentKind::kCallback:
      return ChooseCallback(config);
  }
}

void PaymentPart::ChooseCallback(const config::Config& config) {
  const auto secret = CallbackSecret(config);
  std::vector<std::string> secrets{secret.text};
  secrets.insert(secrets.end(), secret.others.begin(), secret.others.end());
  signature_.emplace(secrets);
  payment::CallbackProvider::Refunds refunds;
  if (config.payment.refund) {
    payment::HttpPoolOptions options;
    options.tls = config.payment.refund_tls;
    options.tls_ca_file = config.payment.refund_ca_file.string();
    OpenPool(*config.payment.refund, config, std::move(options));
    refunds.pool = pool_.get();
    refunds.path = config.payment.refund_path;
  }
  provider_ = std::make_unique<payment::CallbackProvider>(std::move(refunds), *signature_, parts_.clock);
}

void PaymentPart::OpenPool(const config::Address& address, const config::Config& config,
                           payment::HttpPoolOptions options) {
  options.host = address.host;
  options.port = address.port;
  options.connections = config.payment.connections;
  options.deadline = config.payment.deadline;
  pool_ = std::make_unique<payment::HttpPool>(std::move(options));
}

void PaymentPart::AddRoutes(http::Router& router) {
  http::AddPaymentRoutes(router, {.accept = accept_ ? &*accept_ : nullptr,
                                  .signature = signature_ ? &*signature_ : nullptr,
                                  .idempotency = parts_.idempotency,
                                  .clock = parts_.clock});
}

void PaymentPart::Start() {
  if (!settle_) {
    const auto left = RunTask(parts_.bookings.UnsettledPayments(parts_.clock.Now(), options_.most));
    if (left && !left->empty())
      LogWarning("payments: {} are unsettled at a provider that is no longer chosen", left->size());
    return;
  }
  ticker_.emplace(kSettleEvery, [this] {
    const auto due = RunTask(settle_->Due());
    // A service without an address settles by calling back.
    if (!pool_) return;
    for (const auto& id : due) pool_->Spawn(settle_->Settle(id));
  });
}

void PaymentPart::Stop() {
  ticker_.reset();
  pool_.reset();
}

}  // namespace maejin::app
