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

// The place of the reply being built: its slot in the array it belongs to, or a new one at the top.
Reply* PlaceOf(const redisReadTask* task) {
  auto* place = task->parent == nullptr
                    ? new Reply
                    : &static_cast<Reply*>(task->parent->obj)->elements[static_cast<std::size_t>(task->idx)];
  place->kind = KindOf(task->type);
  return place;
}

void* CreateString(const redisReadTask* task, char* bytes, std::size_t size) {
  auto* place = PlaceOf(task);
  place->text.assign(bytes, size);
  return place;
}

void* CreateArray(const redisReadTask* task, int size) {
  auto* place = PlaceOf(task);
  if (size > 0) place->elements.resize(static_cast<std::size_t>(size));
  return place;
}

void* CreateInteger(const redisReadTask* task, long long number) {
  auto* place = PlaceOf(task);
  place->integer = number;
  return place;
}

void* CreateNil(const redisReadTask* task) {
  auto* place = PlaceOf(task);
  place->kind = Reply::Kind::kNil;
  return place;
}

// hiredis frees only whole replies: the parts belong to them.
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
