#include "adapters/webhook/curl_client.h"

#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <curl/curl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "adapters/webhook/target_check.h"
#include "base/log.h"
#include "base/suspend.h"
#include "base/url.h"

namespace maejin::webhook {

// The result of an attempt. `load`: the value of the header Maejin-Load in the answer.
struct CurlClient::Answered {
  WebhookAnswer answer;
  std::optional<SiteLoad> load = {};
};

namespace {

constexpr std::size_t kKeptAnswerBytes = 200;
constexpr std::size_t kMaxAnswerBytes = 64 << 10;
constexpr long kKeptConnections = 64;
constexpr int kNiceness = 10;

// One HTTP request: a webhook or a probe. After Impl::Start() only the thread of the client uses it.
struct Attempt {
  std::string url;
  std::optional<SignedWebhook> webhook;  // absent: a probe
  std::function<void(WebhookAnswer, std::optional<SiteLoad>)> done;

  bool allow_private = false;
  CURL* easy = nullptr;
  curl_slist* headers = nullptr;
  std::string answer = {};
  std::size_t answer_bytes = 0;
  std::optional<SiteLoad> load = {};
  bool refused = false;

  ~Attempt() {
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
  }
};

// Keeps the beginning of the answer, and ends the transfer of an answer that is too long.
std::size_t OnAnswer(const char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& attempt = *static_cast<Attempt*>(self);
  const auto length = size * count;
  const auto kept = std::min(length, kKeptAnswerBytes - attempt.answer.size());
  attempt.answer.append(bytes, kept);
  attempt.answer_bytes += length;
  return attempt.answer_bytes > kMaxAnswerBytes ? 0 : length;
}

std::size_t OnHeader(const char* bytes, std::size_t size, std::size_t count, void* self) {
  constexpr std::string_view kName = "maejin-load:";
  std::string_view line(bytes, size * count);
  const bool found = line.size() > kName.size() && strncasecmp(line.data(), kName.data(), kName.size()) == 0;
  if (found) {
    line.remove_prefix(kName.size());
    const auto first = line.find_first_not_of(" \t");
    const auto last = line.find_last_not_of(" \t\r\n");
    if (first <= last && first != std::string_view::npos)
      static_cast<Attempt*>(self)->load = ParseSiteLoad(line.substr(first, last - first + 1));
  }
  return size * count;
}

curl_socket_t OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& attempt = *static_cast<Attempt*>(self);
  if (!attempt.allow_private && !MayConnect(address->addr)) {
    attempt.refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void LowerPriority() { setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness); }

void StartLibrary() { [[maybe_unused]] static const auto kDone = curl_global_init(CURL_GLOBAL_DEFAULT); }

}  // namespace

class CurlClient::Impl {
 public:
  explicit Impl(ClientOptions options) : options_(std::move(options)) {
    if (!options_.ca_file.empty() && !std::filesystem::exists(options_.ca_file))
      throw std::runtime_error("webhooks.ca-file: cannot read " + options_.ca_file);
    StartLibrary();
    multi_ = curl_multi_init();
    if (!multi_) throw std::runtime_error("webhooks: libcurl cannot be started");
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
    thread_ = std::thread([this] { Run(); });
  }
  ~Impl() {
    Stop();
    thread_.join();
    curl_multi_cleanup(multi_);
  }

  void Stop() {
    stopping_.store(true);
    curl_multi_wakeup(multi_);
  }

  void Start(std::unique_ptr<Attempt> attempt) {
    {
      const std::lock_guard lock(mutex_);
      if (!ended_) {
        waiting_.push_back(std::move(attempt));
        curl_multi_wakeup(multi_);
        return;
      }
    }
    attempt->done({.error = "stopped"}, {});
  }

  const ClientOptions& options() const { return options_; }

 private:
  void Run() {
    LowerPriority();
    while (!stopping_.load()) {
      TakeWaiting();
      int running = 0;
      curl_multi_perform(multi_, &running);
      EndDone();
      curl_multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
    std::deque<std::unique_ptr<Attempt>> left;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      left = std::move(waiting_);
    }
    for (auto& attempt : left) attempt->done({.error = "stopped"}, {});
    for (auto& attempt : running_) {
      curl_multi_remove_handle(multi_, attempt->easy);
      attempt->done({.error = "stopped"}, {});
    }
    running_.clear();
  }

  void TakeWaiting() {
    std::deque<std::unique_ptr<Attempt>> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(waiting_);
    }
    for (auto& attempt : taken) {
      attempt->easy = curl_easy_init();
      if (attempt->easy) Prepare(*attempt);
      if (attempt->easy && curl_multi_add_handle(multi_, attempt->easy) == CURLM_OK) {
        running_.push_back(std::move(attempt));
      } else {
        attempt->done({.error = curl_easy_strerror(CURLE_FAILED_INIT)}, {});
      }
    }
  }

  void Prepare(Attempt& attempt) {
    attempt.allow_private = options_.allow_private;
    auto* easy = attempt.easy;
    curl_easy_setopt(easy, CURLOPT_URL, attempt.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "maejin/" MAEJIN_VERSION);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(TimeoutOf(attempt).count()));
    if (attempt.webhook) {
      SetBody(attempt, *attempt.webhook);
    } else {
      curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &OnHeader);
      curl_easy_setopt(easy, CURLOPT_HEADERDATA, &attempt);
    }
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &OnAnswer);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &attempt);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &OnOpenSocket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &attempt);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options_.ca_file.empty()) {
      curl_easy_setopt(easy, CURLOPT_CAINFO, options_.ca_file.c_str());
      curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
    }
    curl_easy_setopt(easy, CURLOPT_PRIVATE, &attempt);
  }

  Millis TimeoutOf(const Attempt& attempt) const {
    return attempt.webhook ? options_.timeout : options_.probe_timeout;
  }

  static void SetBody(Attempt& attempt, const SignedWebhook& webhook) {
    for (const auto& line :
         {std::string("Content-Type: application/json"), std::string("Expect:"), "webhook-id: " + webhook.id,
          "webhook-timestamp: " + webhook.timestamp, "webhook-signature: " + webhook.signature}) {
      attempt.headers = curl_slist_append(attempt.headers, line.c_str());
    }
    curl_easy_setopt(attempt.easy, CURLOPT_HTTPHEADER, attempt.headers);
    curl_easy_setopt(attempt.easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(webhook.body.size()));
    curl_easy_setopt(attempt.easy, CURLOPT_POSTFIELDS, webhook.body.c_str());
  }

  void EndDone() {
    int left = 0;
    while (const auto* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      auto* const easy = message->easy_handle;
      const auto result = message->data.result;
      curl_multi_remove_handle(multi_, easy);
      const auto found = std::find_if(running_.begin(), running_.end(),
                                      [easy](const auto& attempt) { return attempt->easy == easy; });
      const auto attempt = std::move(*found);
      running_.erase(found);
      attempt->done(AnswerOf(*attempt, result), attempt->load);
    }
  }

  static WebhookAnswer AnswerOf(Attempt& attempt, CURLcode result) {
    WebhookAnswer answer;
    long status = 0;
    curl_off_t micros = 0;
    curl_off_t retry_after = 0;
    curl_easy_getinfo(attempt.easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(attempt.easy, CURLINFO_TOTAL_TIME_T, &micros);
    curl_easy_getinfo(attempt.easy, CURLINFO_RETRY_AFTER, &retry_after);
    answer.duration = Millis{micros / 1000};
    answer.body = std::move(attempt.answer);
    if (retry_after > 0) answer.retry_after = Seconds{retry_after};
    // An answer that is too long counts by its status. An answer that broke off or timed out is an error.
    const bool too_long = result == CURLE_WRITE_ERROR && attempt.answer_bytes > kMaxAnswerBytes;
    if (result == CURLE_OK || too_long) {
      answer.status_code = static_cast<int>(status);
    } else {
      answer.error = attempt.refused ? "target-refused" : curl_easy_strerror(result);
    }
    return answer;
  }

  const ClientOptions options_;
  CURLM* multi_ = nullptr;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::deque<std::unique_ptr<Attempt>> waiting_;  // guarded by mutex_
  bool ended_ = false;                            // guarded by mutex_
  std::list<std::unique_ptr<Attempt>> running_;   // the client's thread only
  std::thread thread_;
};

CurlClient::CurlClient(ClientOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
CurlClient::~CurlClient() = default;

void CurlClient::Stop() { impl_->Stop(); }

Task<CurlClient::Answered> CurlClient::Ask(std::string url, std::optional<SignedWebhook> webhook) {
  auto attempt = std::make_unique<Attempt>();
  attempt->url = std::move(url);
  attempt->webhook = std::move(webhook);
  const auto answered = std::make_shared<Answered>();
  const auto start = [&](Resume resume) {
    attempt->done = [answered, resume = std::move(resume)](WebhookAnswer answer,
                                                           std::optional<SiteLoad> load) {
      *answered = {std::move(answer), load};
      resume();
    };
    impl_->Start(std::move(attempt));
  };
  co_await Suspend(start);
  co_return std::move(*answered);
}

Task<WebhookAnswer> CurlClient::Post(std::string url, SignedWebhook webhook) {
  auto answered = co_await Ask(std::move(url), std::move(webhook));
  co_return std::move(answered.answer);
}

Task<ProbeAnswer> CurlClient::Get(std::string url) {
  const auto answered = co_await Ask(std::move(url), std::nullopt);
  co_return ProbeAnswer{answered.answer.status_code, answered.answer.duration, answered.load};
}

Task<Outcome<Done>> CurlClient::CheckTarget(std::string url) {
  const auto parts = SplitRequestUrl(url);
  if (!parts) {
    co_return Refused{Refusal::kInvalidField,
                      "url: must be an https:// or http:// URL in ASCII of at most 2000 bytes, with a host, "
                      "without a user name, a fragment and spaces, and its port, if any, must be 1 to 65535"};
  }
  const auto host = parts->BareHost();
  if (impl_->options().allow_private) co_return Done{};
  const bool allowed = co_await MayResolve(host);
  if (!allowed) co_return Refused{Refusal::kTargetRefused, host};
  co_return Done{};
}

}  // namespace maejin::webhook
