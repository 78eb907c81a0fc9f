#include "app/finding/scrub.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/cut/json_text.h"
#include "app/finding/known_words.h"
#include "model/base/os/machine.h"
#include "model/base/seeded_hash.h"
#include "model/kernels/kernel_class.h"
#include "model/trace/category.h"

namespace lacuna {
namespace {

using ScrubJson = nlohmann::ordered_json;

bool is_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

/// A path, or what is taken for one: it begins with a slash, "~/", "./" or a drive, or it has two parts and a point.
bool is_path(std::string_view text) {
  const std::size_t slash = text.find_first_of("/\\");
  if (slash == text.npos || text.find_first_not_of("/\\") == text.npos) return false;
  return slash == 0 || text.front() == '~' || text.front() == '.' || text.find('.') != text.npos ||
         (slash == 2 && text[1] == ':') || std::ranges::count(text, '/') > 1;
}

bool is_digits(std::string_view text, std::string_view digits = "0123456789") {
  return !text.empty() && text.find_first_not_of(digits) == text.npos;
}

/// A number, as ids are written: "-3", "0x7f00".
bool is_id(std::string_view text) {
  if (text.starts_with("0x")) return is_digits(text.substr(2), "0123456789abcdefABCDEF");
  return is_digits(text.substr(text.starts_with('-') ? 1 : 0));
}

/// "train.py", "db17.acme.com", but not "3.5", "e.g" or "v1.2".
bool has_dotted_name(std::string_view word) {
  for (std::size_t dot = word.find('.'); dot != word.npos; dot = word.find('.', dot + 1)) {
    const std::string_view next = word.substr(dot + 1);
    const bool is_name = next.size() > 1 && is_name_letter(next[0]) && is_name_letter(next[1]) &&
                         !is_digits(next.substr(0, 1)) && next[0] != '.';
    if (dot > 1 && is_name) return true;
  }
  return false;
}

std::string json_quoted(std::string_view text) {
  return ScrubJson(text).dump(-1, ' ', false, ScrubJson::error_handler_t::replace);
}

}  // namespace

/// Writes a JSON value again, with the texts of an event replaced; numbers stay to the digit.
class EventScrub : public nlohmann::json_sax<ScrubJson> {
 public:
  /// `member`: the key of a top-level value; empty: an event.
  EventScrub(Scrubber& scrubber, const ScrubJson& event, std::string_view member)
      : scrubber_(scrubber), member_(member), is_event_(member.empty()) {
    const auto text = [&](const char* key) {
      const auto found = event.is_object() ? event.find(key) : event.end();
      return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    phase_ = text("ph");
    category_ = text("cat");
    name_ = text("name");
  }
  std::string take() { return std::move(out_); }

  bool null() override { return value("null"); }
  bool boolean(bool set) override { return value(set ? "true" : "false"); }
  bool number_integer(std::int64_t number) override { return value(std::to_string(number)); }
  bool number_unsigned(std::uint64_t number) override { return value(std::to_string(number)); }
  bool number_float(double, const std::string& digits) override { return value(digits); }
  bool binary(ScrubJson::binary_t&) override { return value("null"); }
  bool string(std::string& text) override { return is_dropped() || value(json_quoted(replaced(text))); }
  bool start_object(std::size_t) override { return open('{'); }
  bool start_array(std::size_t) override { return open('['); }
  bool end_object() override { return close('}'); }
  bool end_array() override { return close(']'); }
  bool parse_error(std::size_t, const std::string&, const ScrubJson::exception&) override { return false; }

  bool key(std::string& text) override {
    if (dropped_at_ > 0) return true;
    if (keeps_key(text)) {
      const bool is_name = is_event_ && (depth_ > 2 || (depth_ == 2 && (phase_ == "C" || phase_ == "M")));
      if (is_name && !is_public_argument(text)) text = scrubber_.known_or_hash(text);
      if (depth_ == 1) in_ = text;
      is_device_name_ = member_ == "deviceProperties" && text == "name";
      if (depth_ == 2) argument_ = text;
      separate();
      out_ += json_quoted(text) + ":";
      after_key_ = true;
      return true;
    }
    ++scrubber_.left_out_[text];
    drops_next_ = true;
    return true;
  }

 private:
  bool keeps_key(std::string_view key) const {
    if (!is_event_) return is_public_member_key(key);
    if (depth_ <= 1) {
      constexpr auto kOfEvents =
          std::to_array<std::string_view>({"ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id", "id2", "bp",
                                           "s", "scope", "bind_id", "sf", "tts", "tdur"});
      return std::ranges::find(kOfEvents, key) != kOfEvents.end();
    }
    if (depth_ == 2 && in_ == "id2") return key == "local" || key == "global";
    return depth_ > 2 || phase_ == "M" || phase_ == "C" || is_public_argument(key);
  }

  /// Everything that is not known to be the profiler's becomes a hash: this list says what is.
  std::string replaced(const std::string& text) {
    if (!is_event_) return is_device_name_ && is_public_device(text) ? text : scrubber_.argument(member_, text);
    if (in_ == "args") return phase_ == "M" ? scrubber_.known_or_hash(text) : scrubber_.argument(argument_, text);
    if (in_ == "name") return phase_ == "M" ? scrubber_.known_or_hash(text) : scrubber_.name(category_, text);
    if (in_ == "cat") return scrubber_.categories(text);
    const bool is_letter = text.size() == 1 && (in_ == "ph" || in_ == "s" || in_ == "bp");
    return is_letter || is_id(text) ? text : scrubber_.known_or_hash(text);
  }

  bool is_dropped() {
    if (dropped_at_ > 0) return true;
    return std::exchange(drops_next_, false);
  }
  void separate() {
    if (!out_.empty() && out_.back() != '{' && out_.back() != '[' && out_.back() != ':') out_ += ',';
  }
  bool value(std::string_view text) {
    if (text.front() != '"' && is_dropped()) return true;  // of a string it was asked before
    if (!std::exchange(after_key_, false)) separate();
    out_ += text;
    return true;
  }
  bool open(char bracket) {
    ++depth_;
    if (dropped_at_ > 0) return true;
    if (std::exchange(drops_next_, false)) {
      dropped_at_ = depth_;
      return true;
    }
    if (!std::exchange(after_key_, false)) separate();
    out_ += bracket;
    return true;
  }
  bool close(char bracket) {
    const bool was_dropped = dropped_at_ > 0;
    if (dropped_at_ == depth_) dropped_at_ = 0;
    --depth_;
    if (!was_dropped) out_ += bracket;
    return true;
  }

  Scrubber& scrubber_;
  const std::string_view member_;
  const bool is_event_;
  std::string phase_, category_, name_, in_, argument_, out_;
  int depth_ = 0;
  int dropped_at_ = 0;  ///< depth of what is left out; 0: nothing is
  bool drops_next_ = false, after_key_ = false, is_device_name_ = false;
};

Scrubber::Scrubber(std::vector<std::string> people) : people_(std::move(people)) {}

std::string Scrubber::hash(std::string_view kind, std::string_view text) {
  const auto known = replaced_.find(text);
  if (known != replaced_.end()) return known->second;
  return replaced_[std::string(text)] = fmt::format("{}-{:012x}", kind, seeded_hash(text) >> 16);
}

std::string Scrubber::known_or_hash(std::string_view text) {
  constexpr std::string_view kCompiled = "## Call CompiledFxGraph ", kEnd = " ##";
  if (text.starts_with(kCompiled) && text.ends_with(kEnd) && text.size() > kCompiled.size() + kEnd.size()) {
    const std::string_view key = text.substr(kCompiled.size(), text.size() - kCompiled.size() - kEnd.size());
    return fmt::format("{}{}{}", kCompiled, hash("name", key), kEnd);
  }
  // "thread 12 (python)": what stands in brackets is a program's name.
  const auto plain = [&](std::string_view name) {
    return is_public_name(name) ? std::string(name) : hash("name", name);
  };
  if (const std::size_t open = text.find(" ("); open != text.npos && text.ends_with(')'))
    return plain(text.substr(0, open)) + " (" + plain(text.substr(open + 2, text.size() - open - 3)) + ")";
  return plain(text);
}

std::string Scrubber::python_name(std::string_view text) {
  if (text.starts_with("<built-in ")) {  // of which the address says nothing
    const std::string_view kind = text.starts_with("<built-in method ") ? "method" : "function";
    return is_public_built_in(text)
               ? std::string(text)
               : fmt::format("<built-in {} {}>", kind, hash("name", text.substr(0, text.find(" at 0x"))));
  }
  constexpr std::string_view kModule = "nn.Module: ";
  if (text.starts_with(kModule)) {
    const std::string_view rest = text.substr(kModule.size());
    const std::size_t number = rest.rfind('_');
    const std::string_view module = rest.substr(0, number);
    if (number == rest.npos || !is_digits(rest.substr(number + 1))) return std::string(kModule) + hash("module", rest);
    return std::string(kModule) + (is_public_module(module) ? std::string(module) : hash("module", module)) +
           std::string(rest.substr(number));
  }
  // "path(line): function"
  const std::size_t open = text.find('('), close = text.find("): ");
  if (open == text.npos || close == text.npos || close < open) return hash("name", text);
  std::string_view path = text.substr(0, open);
  for (const std::string_view library : {"/site-packages/", "/dist-packages/"})
    if (const std::size_t at = path.rfind(library); at != path.npos) path.remove_prefix(at + library.size());
  for (const std::string_view package : {"torch/", "numpy/", "triton/", "torchvision/", "vllm/", "sglang/", "uvicorn/",
                                         "fastapi/", "starlette/", "aiohttp/"})
    if (path.starts_with(package)) return std::string(path) + std::string(text.substr(open));
  const std::string_view line = text.substr(open + 1, close - open - 1);
  if (!is_id(line)) return hash("name", text);
  return fmt::format("{}({}): {}", hash("path", path), line, hash("name", text.substr(close + 3)));
}

std::string Scrubber::categories(std::string_view text) {
  std::string out;
  for (std::size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    const std::string_view one = text.substr(begin, end - begin);
    if (begin > 0) out += ',';
    out += classify_category(one) == CategoryClass::kOther ? known_or_hash(one) : std::string(one);
  }
  return out;
}

std::string Scrubber::kernel(std::string_view text) {
  // A word of each class, in their order: what a kernel is for stays.
  constexpr auto kWords = std::to_array<std::string_view>({"gemm", "conv2d", "attention", "layernorm", "elementwise",
                                                           "reduceop", "embedding", "fusedadam", "quantize",
                                                           "moe_align", "copykernel", "nccl", "spin_kernel", ""});
  static_assert(kWords.size() == kKernelClassCount);
  const std::string_view word = kWords[static_cast<std::size_t>(kernel_class(text))];
  std::string named = hash("kernel", text);
  if (word.empty() || named.ends_with(word)) return named;
  named.append("-").append(word);
  // A name that was that of an operator before keeps its hash there.
  if (named.starts_with("kernel")) replaced_[std::string(text)] = named;
  return named;
}

std::string Scrubber::name(std::string_view category, std::string_view text) {
  const CategoryClass kind = classify_category(category);
  if (kind == CategoryClass::kPythonFunction || kind == CategoryClass::kSample) return python_name(text);
  if (is_gpu_activity(kind)) return is_public_kernel(text) ? std::string(text) : kernel(text);
  const bool is_call = kind == CategoryClass::kRuntime || kind == CategoryClass::kOverhead;
  return is_call && is_public_call(text) ? std::string(text) : known_or_hash(text);
}

std::string Scrubber::argument(std::string_view key, std::string_view text) {
  if (key == "Collective name" || key == "dtype" || key == "Input type" || key == "cuda_sync_kind")
    return is_public_type(text) ? std::string(text) : hash("text", text);
  const bool is_number = std::ranges::all_of(
      text, [](char c) { return std::string_view("0123456789.,-+e[]() xX").find(c) != std::string_view::npos; });
  const bool is_public = is_number ? !is_network_address(text) : is_public_name(text);
  return is_public ? std::string(text) : hash("text", text);
}

std::string_view Scrubber::known_at(std::string_view text) const {
  constexpr std::size_t kLongest = 256, kShortest = 3;
  for (std::size_t size = std::min(text.size(), kLongest); size >= kShortest; --size) {
    const bool ends_there = size == text.size() || !is_name_letter(text[size]) || text[size] == '.';
    if (ends_there && replaced_.contains(text.substr(0, size))) return text.substr(0, size);
  }
  return {};
}

std::string Scrubber::query(std::string_view sql) {
  std::string out;
  for (bool is_quoted = false;; is_quoted = !is_quoted) {
    const std::size_t quote = sql.find('\'');
    const std::string_view part = sql.substr(0, quote);
    // "slice.name" is a column, but only a name of a file or host in a text.
    out += is_quoted || part.find("--") != part.npos || part.find("/*") != part.npos ? words(part) : std::string(part);
    if (quote == sql.npos) return out;
    out += '\'';
    sql.remove_prefix(quote + 1);
  }
}

std::string Scrubber::words(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto is_part = [&](char c) {
      return is_name_letter(c) || c == '/' || c == '\\' || c == '~' || c == '@' || c == ':';
    };
    if (!is_part(text[i])) {
      out += text[i++];
      continue;
    }
    if (const std::string_view known = known_at(text.substr(i)); !known.empty()) {
      out += replaced_.find(known)->second;
      i += known.size();
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_part(text[end])) ++end;
    std::string_view word = text.substr(i, end - i);
    i = end;
    const std::size_t last = word.find_last_not_of(".,:;");
    const std::string_view tail = last == word.npos ? word : word.substr(last + 1);
    word.remove_suffix(tail.size());
    const auto is_person = [&](std::string_view part) { return std::ranges::find(people_, part) != people_.end(); };
    bool has_person = is_person(word);
    for (std::size_t at = 0; at < word.size() && !has_person;) {
      const std::size_t stop = std::min(word.find_first_of("@:/.", at), word.size());
      has_person = is_person(word.substr(at, stop - at));
      at = stop + 1;
    }
    if (is_path(word)) {
      out += hash("path", word);
    } else if (has_person || word.find('@') != word.npos || has_dotted_name(word) || is_network_address(word)) {
      out += hash("name", word);
    } else {
      out += word;
    }
    out += tail;
  }
  return out;
}

std::string Scrubber::edit(std::string_view key, std::string_view json) {
  if (!key.empty() && !is_public_member(key)) {
    ++left_out_[std::string(key)];
    if (const ScrubJson value = parse_ordered_json(json); value.is_string())
      people_.push_back(value.get<std::string>());
    return {};
  }
  const ScrubJson parsed = parse_ordered_json(json);
  EventScrub scrub(*this, parsed, key);
  if (parsed.is_discarded() || !ScrubJson::sax_parse(json, &scrub)) return key.empty() ? "{}" : "";
  return scrub.take();
}

std::vector<std::string> names_of_here() {
  std::vector<std::string> names;
  const std::string host = host_name();
  names = {host, host.substr(0, host.find('.'))};
  for (const char* variable : {"USER", "LOGNAME", "SUDO_USER"})
    if (const char* name = std::getenv(variable); name != nullptr) names.emplace_back(name);
  if (const char* home = std::getenv("HOME"); home != nullptr) {
    const std::string_view folder(home);
    names.emplace_back(folder.substr(folder.rfind('/') + 1));
  }
  std::erase_if(names, [](const std::string& name) { return name.size() < 2; });
  return names;
}

}  // namespace lacuna
