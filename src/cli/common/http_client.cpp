#include "cli/common/http_client.h"

#include <array>
#include <cstdlib>

#include <curl/curl.h>
#include <fmt/format.h>
#include <strings.h>

#include "config/address.h"

namespace maejin::cli {
namespace {

constexpr std::size_t kLongestAnswer = 1ULL << 30;
constexpr std::string_view kPlain = "http://";
constexpr std::string_view kTls = "https://";

// The URL of the server without a path. Empty: not an address. A server without TLS has an IP address.
std::string OriginOf(std::string_view address) {
  if (address.ends_with('/')) address.remove_suffix(1);
  if (address.starts_with(kTls))
    return config::ParseHttpOrHttpsUrl(address) ? std::string(address) : std::string();
  if (address.starts_with(kPlain)) address.remove_prefix(kPlain.size());
  const auto parsed = config::ParseAddress(address);
  return parsed ? fmt::format("{}{}", kPlain, parsed->ToString()) : std::string();
}

std::size_t OnBody(const char* bytes, std::size_t size, std::size_t count, void* answer) {
  auto& body = static_cast<HttpAnswer*>(answer)->body;
  if (body.size() + size * count > kLongestAnswer) return 0;
  body.append(bytes, size * count);
  return size * count;
}

bool IsSameName(const std::string& a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), b.size()) == 0;
}

}  // namespace

std::string_view HttpAnswer::Header(std::string_view name) const {
  for (const auto& [header, value] : headers)
    if (IsSameName(header, name)) return value;
  return {};
}

class HttpClient::Connection {
 public:
  explicit Connection(std::string address)
      : address_(std::move(address)), origin_(OriginOf(address_)), curl_(curl_easy_init()) {}
  ~Connection() { curl_easy_cleanup(curl_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Sends the pieces that `next` returns; if `next` is null, sends the body of the call.
  Result<HttpAnswer, std::string> Call(const HttpCall& call, const NextPiece* next) {
    if (origin_.empty()) return fmt::format("{}: not the address of a server", address_);
    HttpAnswer answer;
    Prepare(call, answer);
    if (next) {
      PrepareUpload(*next);
    } else {
      PrepareBody(call);
    }
    curl_slist* lines = nullptr;
    for (const auto& line : HeadLines(call)) lines = curl_slist_append(lines, line.c_str());
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, lines);
    const auto code = curl_easy_perform(curl_);
    curl_slist_free_all(lines);
    if (code != CURLE_OK) return fmt::format("{}{}: {}", origin_, call.target, Reason(code));
    long status = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    constexpr int kLastResponse = -1;
    curl_header* header = nullptr;
    while ((header = curl_easy_nextheader(curl_, CURLH_HEADER, kLastResponse, header)) != nullptr)
      answer.headers.emplace_back(header->name, header->value);
    return answer;
  }

  Seconds timeout{30};
  std::vector<std::pair<std::string, std::string>> headers;

 private:
  void Prepare(const HttpCall& call, HttpAnswer& answer) {
    curl_easy_reset(curl_);  // keeps the connection
    error_.fill('\0');
    curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, error_.data());
    curl_easy_setopt(curl_, CURLOPT_URL, (origin_ + call.target).c_str());
    curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(curl_, CURLOPT_PROXY, "");
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT, static_cast<long>(timeout.count()));
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &OnBody);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &answer);
    // libcurl itself does not read these two variables, which OpenSSL and the command curl read.
    if (const auto* file = std::getenv("SSL_CERT_FILE")) curl_easy_setopt(curl_, CURLOPT_CAINFO, file);
    if (const auto* folder = std::getenv("SSL_CERT_DIR")) curl_easy_setopt(curl_, CURLOPT_CAPATH, folder);
    if (call.method == "HEAD") {
      curl_easy_setopt(curl_, CURLOPT_NOBODY, 1L);
    } else {
      curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, call.method.c_str());
    }
  }

  void PrepareBody(const HttpCall& call) {
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT, static_cast<long>(timeout.count()));
    if (call.body.empty() && call.method != "POST" && call.method != "PUT") return;
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, call.body.c_str());
  }

  // An upload has no time limit as a whole: it ends if no byte is sent or received for `timeout`.
  void PrepareUpload(const NextPiece& next) {
    upload_ = {&next, {}, 0};
    curl_easy_setopt(curl_, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl_, CURLOPT_READFUNCTION, &Upload::Read);
    curl_easy_setopt(curl_, CURLOPT_READDATA, &upload_);
    curl_easy_setopt(curl_, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(timeout.count()));
  }

  // A header of the call replaces one of the client, which replaces the default.
  std::vector<std::string> HeadLines(const HttpCall& call) const {
    std::vector<std::pair<std::string, std::string>> fields;
    const auto set = [&fields](const auto& field) {
      std::erase_if(fields, [&](const auto& other) { return IsSameName(other.first, field.first); });
      fields.push_back(field);
    };
    if (!call.body.empty()) set(std::pair<std::string, std::string>("Content-Type", "application/json"));
    for (const auto& field : headers) set(field);
    for (const auto& field : call.headers) set(field);
    // Without a value, curl leaves out its own header.
    std::vector<std::string> lines = {"Expect:", "Accept:"};
    if (call.body.empty()) lines.emplace_back("Content-Type:");
    for (const auto& [name, value] : fields) lines.push_back(fmt::format("{}: {}", name, value));
    return lines;
  }

  std::string Reason(CURLcode code) const {
    if (code == CURLE_OPERATION_TIMEDOUT) return "no answer in time";
    return error_.front() != '\0' ? std::string(error_.data()) : curl_easy_strerror(code);
  }

  struct Upload {
    const NextPiece* next = nullptr;
    std::string piece;
    std::size_t sent = 0;  // bytes of `piece`

    // Fills curl's buffer. Returns 0 at the end of the body.
    static std::size_t Read(char* buffer, std::size_t size, std::size_t count, void* self) {
      auto& upload = *static_cast<Upload*>(self);
      while (upload.sent == upload.piece.size()) {
        upload.piece.clear();
        upload.sent = 0;
        if (!(*upload.next)(upload.piece)) return 0;
      }
      const auto copied = upload.piece.copy(buffer, size * count, upload.sent);
      upload.sent += copied;
      return copied;
    }
  };

  const std::string address_;
  const std::string origin_;  // empty: address_ is not the address of a server
  CURL* curl_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  Upload upload_;
};

HttpClient::HttpClient(std::string address) : connection_(std::make_unique<Connection>(std::move(address))) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

void HttpClient::SetTimeout(Seconds timeout) { connection_->timeout = timeout; }

void HttpClient::AddHeader(std::string name, std::string value) {
  connection_->headers.emplace_back(std::move(name), std::move(value));
}

Result<HttpAnswer, std::string> HttpClient::Call(const HttpCall& call) {
  return connection_->Call(call, nullptr);
}

Result<HttpAnswer, std::string> HttpClient::Upload(const HttpCall& call, const NextPiece& next) {
  return connection_->Call(call, &next);
}

}  // namespace maejin::cli
