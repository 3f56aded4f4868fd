#include "adapters/mysql/insert_statement.h"

namespace maejin::mysql {
namespace {

// Each function returns false if the text goes on in another way.
class InsertReader {
 public:
  explicit InsertReader(std::string_view text) : left_(text) {}

  bool Read(InsertStatement& statement) {
    if (!Skip("INSERT INTO ") || !ReadName(statement.table) || !Skip(" (")) return false;
    do {
      if (!ReadName(statement.columns.emplace_back())) return false;
    } while (Skip(", "));
    if (!Skip(") VALUES ")) return false;
    do {
      if (!ReadRow(statement.rows.emplace_back(), statement.columns.size())) return false;
    } while (Skip(",\n"));
    return left_.empty();
  }

 private:
  bool Skip(std::string_view expected) {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }

  bool ReadUntil(char end, std::string& text) {
    const auto size = left_.find(end);
    if (size == std::string_view::npos) return false;
    text = left_.substr(0, size);
    left_.remove_prefix(size + 1);
    return true;
  }

  bool ReadName(std::string& name) { return Skip("`") && ReadUntil('`', name) && !name.empty(); }

  bool ReadRow(InsertedRow& row, std::size_t columns) {
    if (!Skip("(")) return false;
    do {
      if (!ReadValue(row.emplace_back())) return false;
    } while (Skip(", "));
    return row.size() == columns && Skip(")");
  }

  bool ReadValue(std::optional<std::string>& value) {
    if (Skip("NULL")) return true;
    value.emplace();
    if (Skip("x'")) return ReadUntil('\'', *value);
    return Skip("'") && ReadText(*value);
  }

  // QUOTE() of MariaDB escapes these four characters with a backslash.
  bool ReadText(std::string& text) {
    while (true) {
      const auto plain = left_.find_first_of("'\\");
      if (plain == std::string_view::npos) return false;
      text += left_.substr(0, plain);
      left_.remove_prefix(plain);
      if (Skip("'")) return true;
      if (Skip("\\\\")) {
        text += '\\';
      } else if (Skip("\\'")) {
        text += '\'';
      } else if (Skip("\\0")) {
        text += '\0';
      } else if (Skip("\\Z")) {
        text += '\x1a';
      } else {
        return false;
      }
    }
  }

  std::string_view left_;
};

}  // namespace

std::optional<InsertStatement> ParseInsert(std::string_view statement) {
  InsertStatement read;
  if (!InsertReader(statement).Read(read)) return {};
  return read;
}

}  // namespace maejin::mysql
