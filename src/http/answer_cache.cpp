#include "http/answer_cache.h"

#include <atomic>

#include <fmt/format.h>

#include "http/entity_tag.h"

namespace maejin::http {
namespace {

std::size_t ThreadNumber() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1);
  return mine;
}

}  // namespace

AnswerCache::Shard& AnswerCache::MyShard(Language language) {
  return shards_[ThreadNumber() % kShards * kLanguages + static_cast<std::size_t>(language)];
}

bool AnswerCache::Serve(const Request& request, std::uint64_t version, Time now, Response& response) {
  auto& shard = MyShard(request.language);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.answers.find(request.target);
  if (found == shard.answers.end()) return false;
  auto& answer = found->second;
  if (answer.stamp.version != version || now >= answer.stamp.valid_until) return false;
  const auto before = answer.bytes();
  Give(answer, request, response);
  shard.bytes += answer.bytes() - before;
  return true;
}

void AnswerCache::Give(Answer& answer, const Request& request, Response& response) {
  const auto coding = answer.body.size() < kLeastCoded ? Coding::kIdentity
                                                       : AcceptedCoding(request.Header("Accept-Encoding"));
  const bool plain = coding == Coding::kIdentity;
  response.AddHeader("ETag", plain ? answer.etag : WeakTag(answer.etag));
  response.AddHeader("Vary", "Accept-Encoding, Accept-Language");
  response.cache = kShortly;
  if (MatchesTag(request.Header("If-None-Match"), answer.etag)) {
    response.status = 304;
    response.body.clear();
    return;
  }
  if (plain) {
    response.body = answer.body;
    return;
  }
  auto& coded = answer.coded[static_cast<std::size_t>(coding)];
  if (coded.empty()) coded = Compress(answer.body, coding, Effort::kFast);
  response.AddHeader("Content-Encoding", Name(coding));
  response.body = coded;
}

AnswerCache::Answer AnswerCache::AnswerOf(std::string body, Stamp stamp) {
  auto etag = fmt::format("\"{:016x}\"", std::hash<std::string_view>{}(body));
  return {stamp, std::move(etag), std::move(body)};
}

void AnswerCache::Complete(const Request& request, Response& response) {
  auto answer = AnswerOf(std::move(response.body), {});
  Give(answer, request, response);
}

void AnswerCache::Keep(const Request& request, Stamp stamp, Response& response) {
  auto answer = AnswerOf(std::move(response.body), stamp);
  Give(answer, request, response);
  auto& shard = MyShard(request.language);
  const std::lock_guard lock(shard.mutex);
  const auto size = request.target.size() + answer.bytes();
  if (size > kShardBytes) return;
  if (const auto old = shard.answers.find(request.target); old != shard.answers.end()) {
    shard.bytes -= old->first.size() + old->second.bytes();
    shard.answers.erase(old);
  }
  if (shard.bytes + size > kShardBytes) {
    shard.answers.clear();
    shard.bytes = 0;
  }
  shard.bytes += size;
  shard.answers.emplace(std::string(request.target), std::move(answer));
}

std::size_t AnswerCache::bytes() {
  std::size_t sum = 0;
  for (auto& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    sum += shard.bytes;
  }
  return sum;
}

}  // namespace maejin::http
