#include "adapters/redis/client/reply_reader.h"

#include <algorithm>

#include <hiredis/read.h>

namespace maejin::redis {
namespace {

constexpr int kReserved = 1024;  // limit of the elements that an array reserves before they arrive

Reply::Kind KindOf(int type) {
  switch (type) {
    case REDIS_REPLY_STRING:
      return Reply::Kind::kText;
    case REDIS_REPLY_ARRAY:
      return Reply::Kind::kArray;
    case REDIS_REPLY_INTEGER:
      return Reply::Kind::kInteger;
    case REDIS_REPLY_STATUS:
      return Reply::Kind::kStatus;
    case REDIS_REPLY_ERROR:
      return Reply::Kind::kError;
    default:
      return Reply::Kind::kNil;
  }
}

// The reply to fill: the next element of its parent array, or a new top-level reply. An array grows with the
// elements that arrive, not with the number that the server announced. Only the last element of an array can
// be an array that is still filled, so growth moves no reply that hiredis refers to.
Reply* TargetOf(const redisReadTask* task) {
  Reply* reply = nullptr;
  if (task->parent == nullptr) {
    reply = new Reply;
  } else {
    reply = &static_cast<Reply*>(task->parent->obj)->elements.emplace_back();
  }
  reply->kind = KindOf(task->type);
  return reply;
}

void* CreateString(const redisReadTask* task, char* bytes, std::size_t size) {
  auto* reply = TargetOf(task);
  reply->text.assign(bytes, size);
  return reply;
}

void* CreateArray(const redisReadTask* task, int size) {
  auto* reply = TargetOf(task);
  if (size > 0) reply->elements.reserve(static_cast<std::size_t>(std::min(size, kReserved)));
  return reply;
}

void* CreateInteger(const redisReadTask* task, long long number) {
  auto* reply = TargetOf(task);
  reply->integer = number;
  return reply;
}

void* CreateNil(const redisReadTask* task) {
  auto* reply = TargetOf(task);
  reply->kind = Reply::Kind::kNil;
  return reply;
}

// hiredis frees only top-level replies, which own their elements.
void FreeObject(void* object) { delete static_cast<Reply*>(object); }

redisReplyObjectFunctions kFunctions = {CreateString, CreateArray, CreateInteger, CreateNil, FreeObject};

}  // namespace

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(&kFunctions)) {}

void ReplyReader::Feed(std::string_view bytes) { redisReaderFeed(reader_.get(), bytes.data(), bytes.size()); }

std::optional<Reply> ReplyReader::Next() {
  if (!error_.empty()) return {};
  void* object = nullptr;
  if (redisReaderGetReply(reader_.get(), &object) != REDIS_OK) {
    error_ = reader_->errstr;
    return {};
  }
  if (object == nullptr) return {};
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(object));
  return std::move(*reply);
}

}  // namespace maejin::redis
