#include "model/formats/pickle/pickle_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "model/base/cancel.h"
#include "model/formats/pickle/pickle_input.h"
#include "model/formats/pickle/pickle_opcode.h"

namespace lacuna {
namespace {

constexpr std::size_t kMostMarks = 1000;
constexpr std::size_t kMostText = std::size_t{16} << 20;
constexpr std::uint8_t kLeastProtocol = 2;
constexpr std::uint8_t kMostProtocol = 5;
constexpr std::uint64_t kProgressMask = 0xffff;  // opcodes between two looks at who waits

/// Why a pickle is not read on.
struct Refusal {
  ErrorCode code;
  std::string cause;
};

[[noreturn]] void refuse(std::string cause, ErrorCode code = ErrorCode::kNotATrace) {
  throw Refusal{code, std::move(cause)};
}

/// What objects were given numbers; 4 bytes each: 3 of the 32 bits say what it is.
class PickleMemo {
 public:
  explicit PickleMemo(MemoryRoom& room) : entries_(&room), others_(&room) {}

  std::size_t size() const { return entries_.size(); }
  void put(std::uint64_t index, PickleValue value) {
    while (entries_.size() <= index) entries_.push_back(0);
    entries_[index] = packed(value);
  }
  void add(PickleValue value) { entries_.push_back(packed(value)); }
  /// Stays as it is when there is none.
  bool get(std::uint64_t index, PickleValue& value) const {
    if (index >= entries_.size()) return false;
    const std::uint32_t entry = entries_[index];
    const std::uint32_t rest = entry & kIndexMask;
    switch (entry >> kIndexBits) {
      case kText:
        value = {PickleKind::kText, rest};
        return true;
      case kList:
        value = {PickleKind::kList, rest};
        return true;
      case kDict:
        value = {PickleKind::kDict, rest};
        return true;
      case kOther:
        value = others_[rest];
        return true;
      default:
        return false;
    }
  }

 private:
  static constexpr unsigned kIndexBits = 29;
  static constexpr std::uint32_t kIndexMask = (std::uint32_t{1} << kIndexBits) - 1;
  enum : std::uint32_t { kNothing, kText, kList, kDict, kOther };

  std::uint32_t packed(PickleValue value) {
    std::uint32_t kind = kOther;
    if (value.is(PickleKind::kText)) kind = kText;
    if (value.is(PickleKind::kList)) kind = kList;
    if (value.is(PickleKind::kDict)) kind = kDict;
    std::uint32_t index = value.index();
    if (kind == kOther || index > kIndexMask) {
      kind = kOther;
      if (others_.size() > kIndexMask) throw MemoryRoom::Exhausted("it keeps too many numbers");
      index = static_cast<std::uint32_t>(others_.size());
      others_.push_back(value);
    }
    return kind << kIndexBits | index;
  }

  ChunkedVector<std::uint32_t> entries_;
  ChunkedVector<PickleValue> others_;
};

/// The stack machine. Its stack is a vector of handles, so nothing in a file makes it recurse.
class PickleMachine {
 public:
  PickleMachine(const ByteSource& source, MemoryRoom& room, PickleRows* rows, PickleProgress* progress)
      : source_(source), input_(source), room_(room), document_(room), memo_(room), rows_(rows), progress_(progress) {
    if (rows_ != nullptr)
      for (const std::string_view name : rows_->names()) document_.make_text(name);
  }

  Result<PickleDocument> run() {
    std::uint64_t opcode_offset = 0;
    try {
      check_head();
      for (std::uint64_t count = 1;; ++count) {
        input_.ensure();
        opcode_offset = input_.offset();
        if (input_.is_at_end()) refuse("the pickle ends before its STOP: it was cut off");
        const std::uint8_t opcode = input_.byte();
        if (opcode == static_cast<std::uint8_t>(PickleOpcode::kStop)) break;
        step(opcode);
        if (input_.is_overrun()) {
          opcode_offset = std::min(opcode_offset, input_.offset());
          refuse("the pickle ends within " + pickle_opcode_name(opcode) + ": it was cut off");
        }
        if ((count & kProgressMask) == 0 && progress_ != nullptr) {
          if (progress_->bytes_done != nullptr) *progress_->bytes_done = opcode_offset;
          if (is_cancelled(progress_->cancel)) refuse("cancelled", ErrorCode::kCancelled);
        }
      }
      if (!marks_.empty()) refuse("STOP within a list that is still open");
      if (stack_.size() != 1) refuse(fmt::format("STOP with {} values on the stack instead of one", stack_.size()));
      document_.root = stack_.back();
      document_.trailing_bytes = source_.size() - std::min(source_.size(), input_.offset());
    } catch (const Refusal& refusal) {
      return fail(refusal.code, refusal.cause, {}, opcode_offset);
    } catch (const MemoryRoom::Exhausted& exhausted) {
      return fail(ErrorCode::kLimit, fmt::format("the pickle is refused: {}", exhausted.cause), {}, opcode_offset);
    } catch (const std::bad_alloc&) {
      return fail(ErrorCode::kLimit, "not enough memory for the pickle", {}, opcode_offset);
    }
    return std::move(document_);
  }

 private:
  using Values = std::span<const PickleValue>;

  void check_head() {
    input_.ensure();
    if (input_.is_at_end()) refuse("the file is empty", ErrorCode::kEmpty);
  }

  void push(PickleValue value) {
    if (stack_.size() == stack_.capacity()) grow_stack();
    stack_.push_back(value);
  }
  [[gnu::noinline]] void grow_stack() {
    const std::size_t more = std::max<std::size_t>(stack_.capacity(), 1024);
    room_.take(more * sizeof(PickleValue));
    stack_.reserve(stack_.size() + more);
  }
  /// Values that the innermost open mark allows to take.
  std::size_t available() const { return stack_.size() - (marks_.empty() ? 0 : marks_.back()); }
  PickleValue pop(const char* who) {
    if (available() < 1) refuse(std::string(who) + " finds nothing on the stack");
    const PickleValue value = stack_.back();
    stack_.pop_back();
    return value;
  }
  /// What lies above the innermost mark, which is taken away; good until the next push.
  Values take_marked(const char* who) {
    if (marks_.empty()) refuse(std::string(who) + " without a MARK");
    const std::size_t begin = marks_.back();
    marks_.pop_back();
    const Values values(stack_.data() + begin, stack_.size() - begin);
    stack_.resize(begin);  // the values stay where they are until something is pushed
    return values;
  }
  PickleValue top(PickleKind kind, const char* who, const char* needs) {
    if (available() < 1 || !stack_.back().is(kind)) refuse(fmt::format("{} needs {} below it", who, needs));
    return stack_.back();
  }
  void append(Values values, const char* who) {
    if (!document_.append(top(PickleKind::kList, who, "a list"), values))
      refuse(std::string(who) + " changes a list of frames after its use");
  }
  void set_items(PickleValue dict, Values items, const char* who) {
    if (items.size() % 2 != 0) refuse(std::string(who) + " has a key without a value");
    if (!document_.set_items(dict, items, rows_)) refuse(std::string(who) + " changes a dictionary after its use");
  }
  void push_list(Values values) {
    const PickleValue list = document_.make_list();
    document_.append(list, values);
    push(list);
  }
  void push_tuple(std::size_t size, const char* who) {
    if (available() < size) refuse(std::string(who) + " finds too little on the stack");
    const PickleValue list = document_.make_list();
    document_.append(list, Values(stack_.data() + stack_.size() - size, size));
    stack_.resize(stack_.size() - size);
    push(list);
  }
  void push_text(std::uint64_t size) {
    if (size > kMostText) refuse(fmt::format("a text of {} bytes; 16 MiB are the limit", size), ErrorCode::kLimit);
    const std::string_view text = input_.text(size);
    if (text.size() < size) refuse("the pickle ends within a text: it was cut off");
    push(document_.make_text(text));
  }
  void push_long(std::size_t size) {
    if (size == 0) return push(document_.make_integer(0));
    if (size > 9) refuse(fmt::format("LONG1 of {} bytes; integers of 64 bits are the limit", size));
    std::uint64_t bits = 0;
    std::int8_t last = 0;
    for (std::size_t i = 0; i < size; ++i) {
      last = static_cast<std::int8_t>(input_.byte());
      if (i < 8) bits |= static_cast<std::uint64_t>(static_cast<std::uint8_t>(last)) << (8 * i);
    }
    if (size == 9) {
      if (last != 0) refuse("LONG1 of more than 64 bits");
      return push(document_.make_unsigned(bits));
    }
    if (last < 0 && size < 8) bits |= ~std::uint64_t{0} << (8 * size);
    push(document_.make_integer(static_cast<std::int64_t>(bits)));
  }
  void get(std::uint64_t index, const char* who) {
    PickleValue value;
    if (!memo_.get(index, value)) refuse(fmt::format("{} {} names nothing that was kept", who, index));
    push(value);
  }
  /// What follows one of them mostly are others: a stack has dozens. Stops before one that is out of order, whose
  /// offset is told then.
  void get_more() {
    constexpr std::size_t kMost = 1 + sizeof(std::uint32_t);
    for (const char* at = input_.peek(kMost); at != nullptr; at = input_.peek(kMost)) {
      const auto opcode = static_cast<PickleOpcode>(static_cast<std::uint8_t>(*at));
      std::uint32_t index = static_cast<std::uint8_t>(at[1]);
      std::size_t taken = 2;
      if (opcode == PickleOpcode::kLongBinGet) {
        __builtin_memcpy(&index, at + 1, sizeof index);
        taken = kMost;
      } else if (opcode != PickleOpcode::kBinGet) {
        return;
      }
      PickleValue value;
      if (!memo_.get(index, value)) return;
      input_.take(taken);
      push(value);
    }
  }
  void put(std::uint64_t index, const char* who) {
    if (available() < 1) refuse(std::string(who) + " finds nothing on the stack");
    // Writers number what they keep one after the other, and each number takes bytes.
    if (index > input_.offset()) refuse(fmt::format("{} {} before so many values can have been kept", who, index));
    memo_.put(index, stack_.back());
  }

  void step(std::uint8_t opcode) {
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::kBinGet:
        get(input_.byte(), "BINGET");
        return get_more();
      case PickleOpcode::kLongBinGet:
        get(input_.number<std::uint32_t>(), "LONG_BINGET");
        return get_more();
      case PickleOpcode::kMemoize:
        if (available() < 1) refuse("MEMOIZE finds nothing on the stack");
        return memo_.add(stack_.back());
      case PickleOpcode::kBinInt1:
        return push({PickleKind::kInt, input_.byte()});
      case PickleOpcode::kBinInt2:
        return push({PickleKind::kInt, input_.number<std::uint16_t>()});
      case PickleOpcode::kBinInt:
        return push({PickleKind::kInt, input_.number<std::int32_t>()});
      case PickleOpcode::kLong1:
        return push_long(input_.byte());
      case PickleOpcode::kEmptyDict:
        return push(document_.make_dict());
      case PickleOpcode::kEmptyList:
      case PickleOpcode::kEmptyTuple:
        return push(document_.make_list());
      case PickleOpcode::kMark:
        if (marks_.size() >= kMostMarks) refuse("values nest deeper than 1,000 levels", ErrorCode::kLimit);
        return marks_.push_back(stack_.size());
      case PickleOpcode::kSetItems: {
        const Values items = take_marked("SETITEMS");
        return set_items(top(PickleKind::kDict, "SETITEMS", "a dictionary"), items, "SETITEMS");
      }
      case PickleOpcode::kAppends: {
        const Values values = take_marked("APPENDS");
        return append(values, "APPENDS");
      }
      case PickleOpcode::kAppend: {
        const PickleValue value = pop("APPEND");
        return append({&value, 1}, "APPEND");
      }
      case PickleOpcode::kSetItem: {
        if (available() < 3) refuse("SETITEM finds too little on the stack");
        const std::array<PickleValue, 2> items{stack_[stack_.size() - 2], stack_.back()};
        stack_.resize(stack_.size() - 2);
        return set_items(top(PickleKind::kDict, "SETITEM", "a dictionary"), items, "SETITEM");
      }
      case PickleOpcode::kShortBinUnicode:
        return push_text(input_.byte());
      case PickleOpcode::kBinUnicode:
        return push_text(input_.number<std::uint32_t>());
      case PickleOpcode::kNone:
        return push({PickleKind::kNone, 0});
      case PickleOpcode::kNewTrue:
        return push({PickleKind::kBool, 1});
      case PickleOpcode::kNewFalse:
        return push({PickleKind::kBool, 0});
      case PickleOpcode::kBinFloat:  // the one number that is big-endian
        return push(document_.make_float(std::bit_cast<double>(__builtin_bswap64(input_.number<std::uint64_t>()))));
      case PickleOpcode::kTuple1:
        return push_tuple(1, "TUPLE1");
      case PickleOpcode::kTuple2:
        return push_tuple(2, "TUPLE2");
      case PickleOpcode::kTuple3:
        return push_tuple(3, "TUPLE3");
      case PickleOpcode::kTuple:
        return push_list(take_marked("TUPLE"));
      case PickleOpcode::kList:
        return push_list(take_marked("LIST"));
      case PickleOpcode::kDict: {
        const Values items = take_marked("DICT");
        const PickleValue dict = document_.make_dict();
        set_items(dict, items, "DICT");
        return push(dict);
      }
      case PickleOpcode::kBinPut:
        return put(input_.byte(), "BINPUT");
      case PickleOpcode::kLongBinPut:
        return put(input_.number<std::uint32_t>(), "LONG_BINPUT");
      case PickleOpcode::kFrame:
        input_.number<std::uint64_t>();  // where a buffer ends is no matter to us
        return;
      case PickleOpcode::kProto: {
        const std::uint8_t protocol = input_.byte();
        if (!input_.is_overrun() && (protocol < kLeastProtocol || protocol > kMostProtocol))
          refuse(fmt::format("pickle protocol {}; 2 to 5 are read", protocol));
        return;
      }
      default:
        refuse(fmt::format("{} is refused: only plain data are read, nothing is executed", pickle_opcode_name(opcode)));
    }
  }

  const ByteSource& source_;
  PickleInput input_;
  MemoryRoom& room_;
  PickleDocument document_;
  PickleMemo memo_;
  PickleRows* rows_;
  PickleProgress* progress_;
  std::vector<PickleValue> stack_;
  std::vector<std::size_t> marks_;
};

}  // namespace

std::uint64_t pickle_memory_limit(std::uint64_t bytes) {
  return (std::uint64_t{64} << 20) + 2 * std::min(bytes, std::uint64_t{1} << 60);
}

bool looks_like_pickle(const ByteSource& source) {
  std::array<char, 2> head{};
  return looks_like_pickle(std::string_view(head.data(), source.read_at(0, head)));
}

bool looks_like_pickle(std::string_view head) {
  if (head.size() < 2) return false;
  const auto protocol = static_cast<std::uint8_t>(head[1]);
  return static_cast<std::uint8_t>(head[0]) == static_cast<std::uint8_t>(PickleOpcode::kProto) &&
         protocol >= kLeastProtocol && protocol <= kMostProtocol;
}

Result<PickleDocument> read_pickle(const ByteSource& source, MemoryRoom& room, PickleRows* rows,
                                   PickleProgress* progress) {
  try {
    return PickleMachine(source, room, rows, progress).run();
  } catch (const MemoryRoom::Exhausted& exhausted) {
    return fail(ErrorCode::kLimit, exhausted.cause);
  }
}

Result<std::uint64_t> count_pickle_opcodes(const ByteSource& source) {
  PickleInput input(source);
  for (std::uint64_t count = 1;; ++count) {
    input.ensure();
    if (input.is_at_end()) return fail(ErrorCode::kNotATrace, "the pickle ends before its STOP", {}, input.offset());
    const std::uint8_t opcode = input.byte();
    switch (static_cast<PickleOpcode>(opcode)) {
      case PickleOpcode::kStop:
        return count;
      case PickleOpcode::kBinGet:
      case PickleOpcode::kBinInt1:
      case PickleOpcode::kBinPut:
      case PickleOpcode::kProto:
        input.byte();
        break;
      case PickleOpcode::kBinInt2:
        input.number<std::uint16_t>();
        break;
      case PickleOpcode::kLongBinGet:
      case PickleOpcode::kLongBinPut:
      case PickleOpcode::kBinInt:
        input.number<std::uint32_t>();
        break;
      case PickleOpcode::kBinFloat:
      case PickleOpcode::kFrame:
        input.number<std::uint64_t>();
        break;
      case PickleOpcode::kLong1:
      case PickleOpcode::kShortBinUnicode:
        input.skip(input.byte());
        break;
      case PickleOpcode::kBinUnicode:
        input.skip(input.number<std::uint32_t>());
        break;
      default:
        break;
    }
  }
}

}  // namespace lacuna
