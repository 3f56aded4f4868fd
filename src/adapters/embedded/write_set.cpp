#include "adapters/embedded/write_set.h"

#include "adapters/embedded/sqlite.h"

namespace maejin::embedded {
namespace {

template <class T>
T Load(std::string_view bytes) {
  T value{};
  // A statement is stored by its address. NOLINTNEXTLINE(bugprone-sizeof-expression)
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(T));
  return value;
}

}  // namespace

std::string_view WriteReader::Take(std::size_t size) {
  const auto taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

const Sql* WriteReader::Next() {
  if (rest_.empty()) return nullptr;
  Take(1);  // skips Tag::kStatement
  return Load<const Sql*>(Take(sizeof(const Sql*)));
}

void WriteReader::Bind(Statement& statement) {
  for (int index = 1; !rest_.empty(); ++index) {
    const auto tag = static_cast<WriteSet::Tag>(rest_.front());
    if (tag == WriteSet::Tag::kStatement) return;
    Take(1);
    switch (tag) {
      case WriteSet::Tag::kInt:
        statement.Bind(index, Load<std::int64_t>(Take(sizeof(std::int64_t))));
        break;
      case WriteSet::Tag::kText:
        statement.Bind(index, Take(Load<std::uint32_t>(Take(4))));
        break;
      case WriteSet::Tag::kBlob:
        statement.BindBlob(index, Take(Load<std::uint32_t>(Take(4))));
        break;
      case WriteSet::Tag::kNull:
        statement.BindNull(index);
        break;
      case WriteSet::Tag::kStatement:
        break;
    }
  }
}

}  // namespace maejin::embedded
