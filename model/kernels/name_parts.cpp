#include "model/kernels/name_parts.h"

#include <algorithm>
#include <array>

#include "model/base/ascii.h"

namespace lacuna {
namespace {

/// Follows brackets: '>' closes only what '<' opened, so that "(8 > 0)" and "->" close nothing.
class Brackets {
 public:
  std::size_t depth() const { return open_.size(); }
  void take(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '<' || c == '(' || c == '[' || c == '{') {
      open_ += c;
    } else if (c == '>') {
      if (!open_.empty() && open_.back() == '<' && (at == 0 || text[at - 1] != '-')) open_.pop_back();
    } else if (c == ')' || c == ']' || c == '}') {
      const char opening = c == ')' ? '(' : c == ']' ? '[' : '{';
      const std::size_t found = open_.rfind(opening);
      if (found != open_.npos) open_.resize(found);
    }
  }

 private:
  std::string open_;
};

/// Where the bracket that opens at `open` closes; the end where it does not.
std::size_t closing(std::string_view text, std::size_t open) {
  Brackets brackets;
  for (std::size_t i = open; i < text.size(); ++i) {
    brackets.take(text, i);
    if (brackets.depth() == 0) return i;
  }
  return text.size();
}

/// "_ZN5aiter3addIDF16bE…" -> "aiter::add". Only nested and plain names of the Itanium ABI.
std::string plain_parts(std::string_view mangled) {
  std::string_view rest = mangled.substr(2);
  if (rest.starts_with('N')) rest.remove_prefix(1);
  if (rest.starts_with('K')) rest.remove_prefix(1);
  std::string qualified;
  while (!rest.empty() && is_digit(rest.front())) {
    std::size_t length = 0, digits = 0;
    while (digits < rest.size() && digits < 4 && is_digit(rest[digits]))
      length = length * 10 + static_cast<std::size_t>(rest[digits++] - '0');
    const std::string_view part = rest.substr(digits, length);
    if (part.size() < length) break;
    if (!part.starts_with("_GLOBAL__N_")) {
      if (!qualified.empty()) qualified += "::";
      qualified += part;
    }
    rest.remove_prefix(digits + length);
  }
  return qualified;
}

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// Where the function's name ends: before its template arguments or parameters. Brackets of namespaces
/// ("(anonymous namespace)::", "<unnamed>::", "ns<…>::type") belong to the name.
struct Span {
  std::size_t begin = 0, end = 0, arguments = std::string_view::npos;
};
Span function_name(std::string_view name) {
  Span found;
  std::size_t i = 0;
  while (i < name.size()) {
    const char c = name[i];
    if (c == ' ') {
      found.begin = i + 1;  // a return type ends
    } else if (c == '<' || c == '(') {
      const std::size_t close = closing(name, i);
      const std::string_view after = name.substr(std::min(close + 1, name.size()));
      if (!after.starts_with("::") && !(c == '<' && after.starts_with(" ") && !after.starts_with(" ("))) {
        found.end = i;
        if (c == '<') found.arguments = i;
        return found;
      }
      i = close;
    }
    ++i;
  }
  found.end = name.size();
  return found;
}

}  // namespace

std::string first_type(const NameParts& parts) {
  for (const std::string_view argument : parts.arguments)
    if (const std::string type = type_word(argument); !type.empty() && type != "bool") return type;
  return {};
}

std::vector<std::string_view> words_between(std::string_view text, char mark) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(mark), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string_view> template_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  const std::size_t open = text.find('<');
  if (open == text.npos) return arguments;
  const std::size_t close = closing(text, open);
  std::size_t begin = open + 1;
  Brackets inside;
  for (std::size_t i = begin; i < close; ++i) {
    inside.take(text, i);
    if (text[i] != ',' || inside.depth() != 0) continue;
    arguments.push_back(without_spaces(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  if (close > begin) arguments.push_back(without_spaces(text.substr(begin, close - begin)));
  return arguments;
}

NameParts take_apart(std::string_view name) {
  NameParts parts;
  parts.whole = name;
  parts.lower = to_lower(name);
  if (name.starts_with("_Z")) {
    parts.is_mangled = true;
    parts.qualified = plain_parts(name);
    if (parts.qualified.empty()) parts.qualified = std::string(name);
  } else {
    const Span found = function_name(name);
    parts.qualified = std::string(name.substr(found.begin, found.end - found.begin));
    if (found.arguments != name.npos) parts.arguments = template_arguments(name.substr(found.arguments));
  }
  std::size_t leaf = parts.qualified.rfind("::");
  parts.leaf = leaf == std::string::npos ? parts.qualified : parts.qualified.substr(leaf + 2);
  return parts;
}

std::string type_word(std::string_view text) {
  while (text.ends_with(" const") || text.ends_with(" volatile")) text = text.substr(0, text.rfind(' '));
  while (text.ends_with('*') || text.ends_with('&') || text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with("const ")) text.remove_prefix(6);
  if (const std::size_t colons = text.rfind("::"); colons != text.npos) text.remove_prefix(colons + 2);
  const std::string lower = to_lower(text);
  struct Word {
    std::string_view word;
    std::array<std::string_view, 7> texts;
  };
  constexpr Word kTypes[] = {
      {"bf16", {"bf16", "bfloat16", "__nv_bfloat16", "bfloat16_t", "__hip_bfloat16", "df16b"}},
      {"fp16", {"f16", "half", "__half", "half_t", "fp16", "float16", "_float16"}},
      {"fp32", {"f32", "float", "fp32", "float32"}},
      {"tf32", {"tf32", "tfloat32_t"}},
      {"fp64", {"f64", "double", "fp64"}},
      {"fp8 e4m3", {"e4m3", "float8_e4m3fn", "__nv_fp8_e4m3", "float_e4m3_t", "float8_e4m3fnuz"}},
      {"fp8 e5m2", {"e5m2", "float8_e5m2", "__nv_fp8_e5m2", "float_e5m2_t"}},
      {"mxfp8 e4m3", {"mxe4m3"}},
      {"mxfp4 e2m1", {"mxe2m1"}},
      {"fp4 e2m1", {"e2m1", "__nv_fp4_e2m1"}},
      {"int8", {"i8", "signed char", "int8_t", "int8", "s8"}},
      {"uint8", {"u8", "unsigned char", "uint8_t", "uint8"}},
      {"int16", {"short", "int16_t"}},
      {"int32", {"i32", "int", "int32_t", "s32"}},
      {"int64", {"i64", "long", "long long", "int64_t"}},
      {"uint32", {"unsigned int", "uint32_t"}},
      {"uint64", {"unsigned long", "uint64_t"}},
      {"bool", {"bool"}},
      {"complex fp32", {"complex<float>", "float2"}}};
  for (const Word& type : kTypes)
    for (const std::string_view known : type.texts)
      if (!known.empty() && lower == known) return std::string(type.word);
  return {};
}

std::string architecture_word(std::string_view text) {
  const std::string lower = to_lower(text);
  struct Name {
    std::string_view mark, name;
  };
  constexpr Name kNames[] = {{"sm70", "Volta (sm_70)"},
                             {"sm72", "Volta (sm_72)"},
                             {"sm75", "Turing (sm_75)"},
                             {"sm80", "Ampere (sm_80)"},
                             {"sm86", "Ampere (sm_86)"},
                             {"sm89", "Ada (sm_89)"},
                             {"sm90", "Hopper (sm_90)"},
                             {"sm100", "Blackwell (sm_100)"},
                             {"sm103", "Blackwell (sm_103)"},
                             {"sm120", "Blackwell (sm_120)"},
                             {"maxwell", "Maxwell"},
                             {"pascal", "Pascal"},
                             {"volta", "Volta"},
                             {"turing", "Turing"},
                             {"ampere", "Ampere"},
                             {"hopper", "Hopper"},
                             {"blackwell", "Blackwell"},
                             {"gfx906", "Vega 20 (gfx906)"},
                             {"gfx908", "CDNA (gfx908)"},
                             {"gfx90a", "CDNA 2 (gfx90a)"},
                             {"gfx942", "CDNA 3 (gfx942)"},
                             {"gfx950", "CDNA 4 (gfx950)"}};
  // The longest: "sm100" before "sm10".
  for (const Name& known : kNames)
    for (std::size_t at = 0; (at = lower.find(known.mark, at)) != lower.npos; ++at) {
      const bool begins = at == 0 || !is_ascii_letter(lower[at - 1]);
      const std::size_t end = at + known.mark.size();
      const bool ends = end == lower.size() || !is_digit(lower[end]);
      if (begins && ends) return std::string(known.name);
    }
  return {};
}

std::string mma_shape(std::string_view digits) {
  struct Shape {
    std::string_view digits, shape;
  };
  constexpr Shape kShapes[] = {
      {"884", "8x8x4"},     {"1684", "16x8x4"},     {"1688", "16x8x8"},    {"16816", "16x8x16"}, {"16832", "16x8x32"},
      {"16864", "16x8x64"}, {"161616", "16x16x16"}, {"8816", "8x8x16"},    {"8832", "8x8x32"},   {"888", "8x8x8"},
      {"32816", "32x8x16"}, {"83216", "8x32x16"},   {"168128", "16x8x128"}};
  for (const Shape& known : kShapes)
    if (digits == known.digits) return std::string(known.shape);
  return {};
}

std::string layout_word(std::string_view letters) {
  if (letters.size() < 2 || letters.size() > 3) return {};
  std::string upper;
  for (const char c : letters) {
    const char low = to_lower(c);
    if (low != 't' && low != 'n') return {};
    upper += static_cast<char>(low - 'a' + 'A');
  }
  const bool a = upper[0] == 'T', b = upper[1] == 'T';
  return upper + ": " +
         (a && b ? "A and B transposed"
          : a    ? "A transposed, B not"
          : b    ? "B transposed, A not"
                 : "neither transposed");
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool is_shape(std::string_view text, std::size_t dimensions) {
  const auto numbers = words_between(text, 'x');
  return numbers.size() == dimensions && std::ranges::all_of(numbers, is_digits) &&
         std::ranges::count(text, 'x') + 1 == static_cast<std::ptrdiff_t>(dimensions);
}

std::string_view number_after(std::string_view text, std::string_view mark) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; ++at) {
    std::size_t end = at + mark.size();
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > at + mark.size()) return text.substr(at + mark.size(), end - at - mark.size());
  }
  return {};
}

std::string_view shape_after(std::string_view text, std::string_view mark) {
  for (std::size_t at = 0; (at = text.find(mark, at)) != text.npos; ++at) {
    std::size_t end = at + mark.size();
    while (end < text.size() &&
           (is_digit(text[end]) || (text[end] == 'x' && end + 1 < text.size() && is_digit(text[end + 1]))))
      ++end;
    const std::string_view shape = text.substr(at + mark.size(), end - at - mark.size());
    if (shape.find('x') != shape.npos) return shape;
  }
  return {};
}

void append_item(std::string& list, std::string_view item) {
  if (item.empty()) return;
  if (!list.empty()) list += ", ";
  list += item;
}

}  // namespace lacuna
