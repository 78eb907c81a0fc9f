#include "capture/session/save_requests.h"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/session/old_recordings.h"
#include "model/base/os/folder_paths.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAsk = "ask-";  // + six letters; the answer has the same
constexpr std::string_view kAnswer = "answer-";
constexpr std::chrono::milliseconds kAnswerLook{20};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// What is found at `path` is whole.
bool put_file(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << text;
  file.close();
  return file.good() && std::rename(unfinished.c_str(), path.c_str()) == 0;
}

}  // namespace

std::vector<SaveRequest> take_save_requests(const std::string& folder) {
  std::vector<SaveRequest> requests;
  std::error_code error;
  for (const std::string& path : folder_paths(folder, error)) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with(kAsk) || name.ends_with(".part")) continue;
    const std::string text = content_of(path);
    unlink(path.c_str());
    const std::size_t line = text.find('\n');
    const int existing = std::atoi(text.c_str());
    if (line == std::string::npos || existing < 0 || existing > static_cast<int>(Existing::kReplace)) continue;
    requests.push_back({text.substr(line + 1), static_cast<Existing>(existing),
                        fmt::format("{}/{}{}", folder, kAnswer, name.substr(kAsk.size()))});
  }
  return requests;
}

void answer_save_request(const SaveRequest& request, const Result<void>& done) {
  if (request.answer.empty()) return;
  (void)put_file(request.answer, done ? std::string("0\n")
                                      : fmt::format("1{}\n{}\n{}", static_cast<int>(done.error().code),
                                                    done.error().file, done.error().cause));
}

Result<void> ask_to_save(const std::string& folder, const std::string& path, Existing existing) {
  std::string own = folder + "/asker-XXXXXX";
  const int made = mkstemp(own.data());
  if (made < 0) return fail(ErrorCode::kNotWritable, std::strerror(errno), folder);
  close(made);
  const std::string token = own.substr(own.size() - 6);
  std::error_code error;
  const std::string text = fmt::format("{}\n{}", static_cast<int>(existing), fs::absolute(path, error).string());
  const bool is_asked = put_file(fmt::format("{}/{}{}", folder, kAsk, token), text);
  const std::string answer = fmt::format("{}/{}{}", folder, kAnswer, token);
  std::string answered;
  for (bool is_alive = is_asked; is_alive && answered.empty();) {
    std::this_thread::sleep_for(kAnswerLook);
    is_alive = is_under_way(folder);  // asked first: an answer of before its end is read
    answered = content_of(answer);
  }
  unlink(answer.c_str());
  unlink(own.c_str());
  if (answered.empty())
    return fail(ErrorCode::kNotFound,
                "the recording ended before it answered; what it kept is saved where it was started", folder);
  if (answered.front() == '0') return {};
  const std::size_t first = std::min(answered.find('\n'), answered.size() - 1);
  const std::size_t second = std::min(answered.find('\n', first + 1), answered.size() - 1);
  const int code = std::atoi(answered.c_str() + 1);
  const bool is_known = code >= 0 && code <= static_cast<int>(ErrorCode::kUnsupported);
  return fail(is_known ? static_cast<ErrorCode>(code) : ErrorCode::kNotWritable, answered.substr(second + 1),
              answered.substr(first + 1, second - first - 1));
}

}  // namespace lacuna
