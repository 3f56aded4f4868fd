#include "app/payment_module.h"

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
// The request of a payment ends at most this long after the provider's deadline. Only then may the settle
// worker continue the payment.
constexpr Millis kMargin{1000};

config::Secret CallbackSecret(const config::Config& config) {
  SystemRandom random;
  const auto& file = config.payment.callback_secret_file;
  // Only the default secret file, inside the data folder, is created when missing.
  const bool is_default = file == config.data / "payment.secret";
  constexpr auto kLines = config::SecretLines::kAll;
  auto secret = is_default ? config::ReadOrCreateSecret(file, "payment secret", random, kLines)
                           : config::ReadSecret(file, "payment secret", kLines);
  if (!secret) throw std::runtime_error(secret.error());
  if (secret->created) LogInfo("created the payment secret: {}", file.string());
  return std::move(*secret);
}

}  // namespace

PaymentModule::PaymentModule(const config::Config& config, const Dependencies& deps)
    : deps_(deps), metrics_(deps.metrics) {
  options_.grace = config.payment.deadline + kMargin;
  Choose(config);
  deps_.metrics.AddGaugeOf(
      "maejin_payments_unsettled",
      "Payments still pending after their request has ended, and refunds that are due; each counted "
      "up to 10000.",
      [this] { return settle_ ? static_cast<double>(settle_->unsettled()) : 0.0; });
  if (!provider_) return;
  measured_ = std::make_unique<payment::MeasuredProvider>(*provider_, deps_.metrics);
  advance_.emplace(AdvancePayment::Dependencies{deps_.bookings, deps_.rooms, *measured_, deps_.clock,
                                                metrics_, &deps_.refusals});
  if (signature_) accept_.emplace(deps_.bookings, *advance_, deps_.clock);
  settle_.emplace(deps_.bookings, *advance_, deps_.clock, options_);
}

PaymentModule::~PaymentModule() { Stop(); }

void PaymentModule::Choose(const config::Config& config) {
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

void PaymentModule::ChooseCallback(const config::Config& config) {
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
  provider_ = std::make_unique<payment::CallbackProvider>(std::move(refunds), *signature_, deps_.clock);
}

void PaymentModule::OpenPool(const config::Address& address, const config::Config& config,
                             payment::HttpPoolOptions options) {
  options.host = address.host;
  options.port = address.port;
  options.connections = config.payment.connections;
  options.deadline = config.payment.deadline;
  pool_ = std::make_unique<payment::HttpPool>(std::move(options));
}

void PaymentModule::AddRoutes(http::Router& router) {
  http::AddPaymentRoutes(router, {.accept = accept_ ? &*accept_ : nullptr,
                                  .signature = signature_ ? &*signature_ : nullptr,
                                  .idempotency = deps_.idempotency,
                                  .clock = deps_.clock});
}

void PaymentModule::Start() {
  if (!settle_) {
    const auto left = RunTask(deps_.bookings.UnsettledPayments(deps_.clock.Now(), options_.most));
    if (left && !left->empty())
      LogWarning("payments: {} are unsettled at a provider that is no longer configured", left->size());
    return;
  }
  ticker_.emplace(kSettleEvery, [this] {
    const auto due = RunTask(settle_->Due());
    // Without a refund URL maejin cannot call the payment service: the service calls back to settle.
    if (!pool_) return;
    for (const auto& id : due) pool_->Spawn(settle_->Settle(id));
  });
}

void PaymentModule::Stop() {
  ticker_.reset();
  pool_.reset();
}

}  // namespace maejin::app
