#include "adapters/redis/client/reply_reader.h"

#include <hiredis/read.h>

namespace maejin::redis {
namespace {

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

// The reply to fill: an element of its parent array, or a new top-level reply.
Reply* TargetOf(const redisReadTask* task) {
  auto* reply = task->parent == nullptr
                    ? new Reply
                    : &static_cast<Reply*>(task->parent->obj)->elements[static_cast<std::size_t>(task->idx)];
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
  if (size > 0) reply->elements.resize(static_cast<std::size_t>(size));
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
