#include "model/base/os/process.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "model/base/os/windows/windows_calls.h"

namespace lacuna {
namespace {

/// One line of which the other program's C library makes the same words.
std::wstring command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_of(" \t\n\v\"") == std::string::npos) {
      line += word;
      continue;
    }
    line += '"';
    std::size_t backslashes = 0;
    for (const char c : word) {
      if (c == '"') line.append(backslashes + 1, '\\');  // those before a quote count twice
      backslashes = c == '\\' ? backslashes + 1 : 0;
      line += c;
    }
    line.append(backslashes, '\\');
    line += '"';
  }
  return wide(line);
}

std::wstring program_path(const std::string& program) {
  wchar_t found[32768];
  const DWORD length = ::SearchPathW(nullptr, wide(program).c_str(), L".exe", 32768, found, nullptr);
  return length > 0 && length < 32768 ? std::wstring(found, length) : std::wstring();
}

/// The process; 0, with errno: it was not started.
HANDLE start(const std::string& program, const std::vector<std::string>& words, STARTUPINFOW* how) {
  const std::wstring path = program_path(program);
  std::wstring line = command_line(words);
  PROCESS_INFORMATION started{};
  if (path.empty() ||
      !::CreateProcessW(path.c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, how, &started)) {
    note_error();
    return nullptr;
  }
  ::CloseHandle(started.hThread);
  return started.hProcess;
}

// Handles fit into 32 bits on every Windows.
int as_number(HANDLE process) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(process));
}
HANDLE as_process(int number) {
  return reinterpret_cast<HANDLE>(static_cast<std::intptr_t>(number));
}

}  // namespace

std::vector<std::string> own_words(int argc, const char* const* argv) {
  int count = 0;
  wchar_t** const wide_words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (wide_words == nullptr) return {argv, argv + argc};
  std::vector<std::string> words;
  for (int i = 0; i < count; ++i) words.push_back(narrow(wide_words[i]));
  ::LocalFree(wide_words);
  return words;
}

StartedProgram start_program(const std::string& program, std::vector<std::string> words, ReadOutput reads) {
  HANDLE read = nullptr, written = nullptr;
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  if (reads != ReadOutput::kNone && !::CreatePipe(&read, &written, &inherited, 0)) {
    note_error();
    return {};
  }
  Handle read_end(read);
  const Handle written_end(written);
  if (read_end.is_open()) ::SetHandleInformation(read, HANDLE_FLAG_INHERIT, 0);
  const Handle nowhere(reads == ReadOutput::kErrors ? ::CreateFileW(L"NUL", GENERIC_WRITE, FILE_SHARE_WRITE, &inherited,
                                                                    OPEN_EXISTING, 0, nullptr)
                                                    : nullptr);
  STARTUPINFOW how{};
  how.cb = sizeof how;
  how.dwFlags = STARTF_USESTDHANDLES;
  how.hStdInput = ::GetStdHandle(STD_INPUT_HANDLE);
  how.hStdOutput = reads == ReadOutput::kOutput   ? written
                   : reads == ReadOutput::kErrors ? nowhere.get()
                                                  : ::GetStdHandle(STD_OUTPUT_HANDLE);
  how.hStdError = reads == ReadOutput::kErrors ? written : ::GetStdHandle(STD_ERROR_HANDLE);
  const HANDLE process = start(program, words, &how);
  if (process == nullptr) return {};
  StartedProgram started;
  started.process = as_number(process);
  if (read_end.is_open()) started.output = as_descriptor(read_end.release(), true);
  return started;
}

int wait_for_program(int process) {
  const Handle waited(as_process(process));
  DWORD status = 0;
  ::WaitForSingleObject(waited.get(), INFINITE);
  return ::GetExitCodeProcess(waited.get(), &status) ? static_cast<int>(status) : -1;
}

void kill_program(int process) {
  ::TerminateProcess(as_process(process), static_cast<UINT>(-1));
}

std::string find_in_path(std::string_view name) {
  return narrow_path(program_path(std::string(name)));
}

void become_program(std::vector<std::string> words) {
  STARTUPINFOW how{};
  how.cb = sizeof how;
  if (const HANDLE process = start(words.front(), words, &how)) std::exit(wait_for_program(as_number(process)));
}

}  // namespace lacuna
