"""Classes stay small enough to be read alone, and only decoders read a Redis reply by position.

How member functions are counted: every function that a class body declares itself, with constructors,
destructors, operators, templates, static and defaulted functions. Overloads count one by one. Inherited
functions, friends, function objects, and functions of nested classes do not count; a nested class counts for
itself.
"""
import re

import house

MOST_MEMBER_FUNCTIONS = 25
CLASS = re.compile(r"(?<!enum )\b(?:class|struct|union)\b(?:\s+alignas\s*\([^)]*\))?"
                   r"\s+([A-Za-z_][\w:]*)(?:\s+final)?\s*(?::[^;{}()]*)?\{")
ACCESS = re.compile(r"^\s*(?:public|protected|private)\s*:(?!:)")
NO_FUNCTION = re.compile(r"^(?:using|typedef|friend|static_assert|enum|class|struct|union|namespace)\b")
OPERATOR = re.compile(r"\boperator\s*(?:\(\s*\)|[^\w\s(]+|[\w:<>\s*&]+?)\s*(?=\()")
BEFORE_NAME = re.compile(r"\b(?:alignas|decltype|explicit|requires|noexcept)\s*\(")


def closing(code, start):
    """The offset after the bracket that closes the one at `start`."""
    pairs = {"(": ")", "{": "}", "[": "]"}
    depth = 0
    for offset in range(start, len(code)):
        depth += (code[offset] in pairs) - (code[offset] in pairs.values())
        if depth == 0:
            return offset + 1
    return len(code)


def members(body):
    """The declarations of a class body, each up to its `;` or the end of its braces."""
    start = offset = 0
    while offset < len(body):
        access = ACCESS.match(body[start:]) if body[start:offset].strip() == "" else None
        if access:
            start = offset = start + access.end()
        elif body[offset] in "([":
            offset = closing(body, offset)
        elif body[offset] == "{":
            offset = closing(body, offset)
            # A constructor may initialise members with braces before its body.
            if re.match(r"\s*[,{]", body[offset:]):
                continue
            if not re.match(r"\s*;", body[offset:]):
                yield body[start:offset].strip()
                start = offset
        elif body[offset] == ";":
            if body[start:offset].strip():
                yield body[start:offset].strip()
            start = offset = offset + 1
        else:
            offset += 1


def without_template_head(member):
    if not member.startswith("template"):
        return member
    offset = member.index("<")
    depth = 0
    for offset in range(offset, len(member)):
        depth += (member[offset] == "<") - (member[offset] == ">")
        if depth == 0:
            return without_template_head(member[offset + 1:].lstrip())
    return member


def is_function(member):
    """Does the declaration have a parameter list, outside of template arguments and before an initialiser?"""
    member = re.sub(r"\[\[.*?\]\]", " ", without_template_head(member), flags=re.S).strip()
    if NO_FUNCTION.match(member):
        return False
    member = OPERATOR.sub("operator_function", member)
    while (head := BEFORE_NAME.search(member)) and "(" not in member[:head.start()]:
        member = member[:head.start()] + " " + member[closing(member, head.end() - 1):]
    depth = 0
    for offset, letter in enumerate(member):
        depth += (letter == "<") - (letter == ">")
        if depth == 0 and letter in "={":
            return False
        if depth == 0 and letter == "(":
            return not re.match(r"\(\s*(?:[\w:]+::)?\*", member[offset:])
    return False


def member_functions(source):
    """(class, number of its member functions, line) for every class of a source text."""
    code = re.sub(r"^[ \t]*#.*$", "", house.code_of(source), flags=re.M)
    for found in CLASS.finditer(code):
        body = code[found.end():closing(code, found.end() - 1) - 1]
        count = sum(is_function(member) for member in members(body))
        yield found.group(1), count, house.line_of(code, found.start())


COUNTED_SEVEN = """
class Counted final : public Base, public Other<int> {
 public:
  explicit Counted(int a) : a_(a), b_{a} {}
  ~Counted() override;
  bool operator==(const Counted&) const = default;
  template <class T, class U = std::pair<int, int>>
  static std::optional<T> Make(U value);
  [[nodiscard]] auto Read() const -> std::function<void(int)>;
  int a() const { return a_; }
  std::function<int(int)> call() const;
  friend void Swap(Counted&, Counted&);
  using Call = std::function<void()>;
  struct Nested {
    int NotCounted() { return 1; }
  };
 private:
  std::function<void(int)> member_;
  void (*pointer_)(int) = nullptr;
  const int a_ = Compute(1);
  std::vector<int> b_{Compute(2)};  // Compute() is not a member
  enum class Kind { kOne, kTwo };
};
"""


def test_control_member_functions_are_counted():
    counts = [(name, count) for name, count, _ in member_functions(COUNTED_SEVEN)]
    assert counts == [("Counted", 7), ("Nested", 1)]


def test_control_class_with_26_member_functions_is_found():
    source = "class Large {\n" + "".join(f"  void F{n}();\n" for n in range(26)) + "};\n"
    assert list(member_functions(source)) == [("Large", 26, 1)]


def test_no_class_has_more_than_25_member_functions():
    wrong = [f"{file}:{line}: {name} has {count}" for file in house.sources("src", "tests", "benchmarks")
             for name, count, line in member_functions(house.text(file))
             if count > MOST_MEMBER_FUNCTIONS]
    assert wrong == []


# A Redis reply is an array without names. One function per script, named Decode…, gives its elements names
# and types; a file replies.cpp holds nothing but such functions.
READ_BY_POSITION = re.compile(r"\.At\(|\.elements\[")
FUNCTION = re.compile(r"^[A-Za-z_][^\n;=]*?(\w+)\(", re.M)


def positional_reads(source):
    """(function, line) for every read by position outside functions named Decode…"""
    code = house.code_of(source)
    for found in READ_BY_POSITION.finditer(code):
        starts = [function.group(1) for function in FUNCTION.finditer(code, 0, found.start())]
        if not starts or not starts[-1].startswith("Decode"):
            yield starts[-1] if starts else "?", house.line_of(code, found.start())


def test_control_positional_read_outside_decoder_is_found():
    function = "Time {}(const Reply& reply) {{\n  return TimeOf(reply.At(1));\n}}\n"
    assert list(positional_reads(function.format("Wait"))) == [("Wait", 2)]
    assert list(positional_reads(function.format("DecodeTime"))) == []


def test_redis_replies_are_read_by_position_only_in_decoders():
    files = [file for file in house.sources("src") if "redis" in file.parts
             and file.name not in ("replies.cpp", "reply.cpp") and not file.name.endswith("_test.cpp")]
    wrong = [f"{file}:{line}: {function}" for file in files
             for function, line in positional_reads(house.text(file))]
    assert wrong == []
