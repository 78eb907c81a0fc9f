// A finding to hand over: one file with a trace, how it is looked at, notes, and what Lacuna says of it.

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/group_stats.h"
#include "app/cli/json_writer.h"
#include "app/cli/report.h"
#include "app/cut/range_export.h"
#include "app/finding/finding_view.h"
#include "app/finding/known_words.h"
#include "app/finding/notes.h"
#include "app/finding/scrub.h"
#include "app/finding/side_car_folder.h"
#include "app/finding/trace_identity.h"
#include "app/finding/write_file.h"
#include "model/base/os/files.h"
#include "model/base/os/folder_tree.h"
#include "model/export/zip_file.h"
#include "model/steps/measured_steps.h"
#include "render/format.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

struct BundleOptions {
  std::string output, view_path;
  GroupStatsOptions range;
  std::vector<std::string> queries;
  bool scrub = false, without_picture = false, force = false, json = false;

  void add_to(CLI::App& app) {
    app.add_option("-o,--output", output, "File to write, which ends in .lacuna")
        ->required()
        ->type_name("FINDING.lacuna");
    range.add_range_to(app);
    app.add_flag("--scrub", scrub, "Replace paths, names of hosts and users, and your own names by hashes");
    app.add_option("--query", queries, "SQL to go with it; may be given again")
        ->type_name("SQL")
        ->allow_extra_args(false);
    app.add_option("--view", view_path, "The view to keep, as the window writes it (default: as you left the trace)")
        ->type_name("FILE");
    app.add_flag("--no-picture", without_picture, "Leave the picture of the timeline out");
    app.add_flag("--force", force, "Replace what is there");
    add_json_flag(app, json);
  }
};

/// A folder that is gone with it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code none;
    path_ = (fs::temp_directory_path(none) / "lacuna-finding-").string();
    if (!create_temporary_folder(path_)) path_.clear();
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    if (!path_.empty()) remove_tree(path_);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string markdown_of_notes(const Trace& trace, const std::vector<Note>& notes) {
  std::string text;
  for (const Note& note : notes) {
    const std::string on =
        note.on == NoteOn::kSlice ? "slice `" + printable(note.name) + "`" : std::string(note_kind(note));
    text += fmt::format("- {} at {}, {} long: {}\n", on,
                        format_duration(saturating_sub(note.span.begin, trace.span().begin)),
                        format_duration(note.span.duration()), replace_all(printable(note.text), "\n", " "));
  }
  return text.empty() ? text : "\n## Notes\n\n" + text;
}

/// Makes one finding.
class Bundle {
 public:
  Bundle(const CommandContext& context, const BundleOptions& options, const Trace& trace)
      : context_(context), options_(options), trace_(trace), import_(context.load.import), scrubber_(names_of_here()) {
    name_ = options.output.substr(options.output.rfind('/') + 1);
    // The trace to be read again has neither the names that steps were to be made of nor the requests by their names.
    if (options.scrub) import_.steps_from = import_.requests = {};
  }

  Result<void> write(Output& out) {
    if (scratch_.path().empty())
      return fail(ErrorCode::kNotWritable, fmt::format("no folder for temporary files: {}", std::strerror(errno)));
    for (const auto& step : {&Bundle::cut, &Bundle::look, &Bundle::describe})
      if (Result<void> done = (this->*step)(); !done) return done;
    picture();
    if (options_.scrub) entries_.push_back({"scrubbed.txt", scrubbed_words(), {}});
    const Existing existing = options_.force ? Existing::kReplace : Existing::kKeep;
    if (Result<void> written = write_zip(options_.output, existing, entries_); !written) return written;
    if (options_.scrub)
      if (Result<void> listed = write_file_atomically(options_.output + ".changes.tsv", changes()); !listed)
        return listed;
    tell(out);
    return {};
  }

 private:
  Result<void> cut() {
    RangeExportOptions wanted;
    const Result<TimeSpan> range = chosen_range(trace_, options_.range, find_step_windows);
    if (!range) return tl::make_unexpected(range.error());
    wanted.range = *range;
    range_ = range->intersect(trace_.span());
    Result<std::vector<TrackId>> tracks = chosen_tracks(trace_, options_.range);
    if (!tracks) return tl::make_unexpected(tracks.error());
    wanted.tracks = std::move(*tracks);
    wanted.path = scratch_.path() + "/trace.json.gz";
    if (options_.scrub)
      wanted.edit = [this](std::string_view key, std::string_view json) { return scrubber_.edit(key, json); };
    if (options_.scrub)
      if (Result<void> known = read_original(wanted); !known) return known;
    Result<ExportedRange> done = export_range(trace_, wanted);
    if (!done) return tl::make_unexpected(done.error());
    events_ = done->events;
    for (std::size_t i = 0; i < done->paths.size(); ++i) {
      std::string path = done->paths[i];
      if (options_.scrub) {  // labels may be names of files
        std::error_code failed;
        path = scratch_.path() + (done->paths.size() > 1 ? fmt::format("/trace-{}.json.gz", i + 1) : "/trace.json.gz");
        fs::rename(done->paths[i], path, failed);
        if (failed) return fail(ErrorCode::kNotWritable, failed.message(), path);
      }
      paths_.push_back(path);
      entries_.push_back({path.substr(path.rfind('/') + 1), {}, path});
    }
    return {};
  }

  /// Reports on the same part before it is scrubbed.
  Result<void> read_original(RangeExportOptions wanted) {
    if (range_ == trace_.span() && wanted.tracks.empty()) {
      original_ = compute_reports(trace_, {});
      return {};
    }
    wanted.edit = {};
    wanted.path = scratch_.path() + "/original.json.gz";
    Result<ExportedRange> done = export_range(trace_, wanted);
    if (!done) return tl::make_unexpected(done.error());
    const Result<Trace> part = load_traces(done->paths, context_.load.import);
    if (!part) return tl::make_unexpected(part.error());
    original_ = compute_reports(*part, {});
    return {};
  }

  /// In which answers the report on what is scrubbed differs from the original's.
  void compare(const std::vector<Report>& scrubbed) {
    const auto differ = [&](const auto& answer) {
      return !std::ranges::equal(original_, scrubbed, {}, answer, answer);
    };
    const auto note = [&](std::string_view what) {
      differences_ += (differences_.empty() ? "" : ", ") + std::string(what);
    };
    const auto first_class = [](const Report& r) {
      return r.classes.empty() ? KernelClass::kOther : r.classes.front().kernel_class;
    };
    if (differ(&Report::bound)) note("what limits it");
    if (differ(first_class)) note("the class of kernels with the most time");
    if (differ([](const Report& r) { return r.steps.steps.size(); })) note("the number of steps");
  }

  /// The view that comes with it, and the notes in it.
  Result<void> look() {
    std::string text;
    if (!options_.view_path.empty()) {
      std::ifstream file(options_.view_path, std::ios::binary);
      if (!file) return fail(ErrorCode::kNotReadable, "cannot be opened", options_.view_path);
      text.assign(std::istreambuf_iterator<char>(file), {});
    } else {
      text = SideCarFolder(side_car_folder()).load(trace_identity(trace_.sources()));
      if (text.empty() && context_.load.paths.size() == 1) text = read_finding_view(context_.load.paths.front());
    }
    FindingTimes times = finding_times(text);
    if (!times.view && range_ != trace_.span()) times.view = range_;
    if (const auto parsed = parse_notes(text)) {
      for (Note note : parsed->notes) {
        if (note.span.end < range_.begin || note.span.begin > range_.end) {
          ++notes_outside_;
          continue;
        }
        if (options_.scrub) scrub(note);
        notes_.push_back(std::move(note));
      }
    }
    // The names of tracks may be anybody's: which of them are pinned or hidden does not go with what is scrubbed.
    view_ = with_finding_times(with_notes(options_.scrub ? std::string() : text, notes_), times);
    view_times_ = times;
    entries_.push_back({std::string(kFindingView), view_, {}});
    std::string sql;
    for (const std::string& query : options_.queries) sql += (options_.scrub ? scrubber_.query(query) : query) + ";\n";
    if (!sql.empty()) entries_.push_back({std::string(kFindingQueries), sql, {}});
    return {};
  }

  void scrub(Note& note) {
    note.text = scrubber_.words(note.text);
    const auto renamed = scrubber_.replaced().find(note.name);
    if (renamed != scrubber_.replaced().end()) {
      note.name = renamed->second;
    } else if (!is_public_kernel(note.name) && !is_public_call(note.name)) {
      note.name = scrubber_.name({}, note.name);
    }
  }

  /// Reports on what is in it, not on what it was cut from: nothing else is known where it is read.
  Result<void> describe() {
    const Result<Trace> part = load_traces(paths_, import_);
    if (!part) return tl::make_unexpected(part.error());
    const std::vector<Report> reports = compute_reports(*part, {});
    if (options_.scrub) compare(reports);
    std::string brief, page;
    ReportCommand how;
    how.brief = how.markdown = true;
    Output brief_out(brief), page_out(page);
    write_report_brief(*part, reports, how, brief_out);
    write_report_html(*part, reports, how.rows, page_out);
    for (const Result<void>& done : {brief_out.finish(), page_out.finish()})
      if (!done) return done;
    const std::string heading = fmt::format(
        "# A finding\n\n{} of a trace, {}. Open it with `lacuna {}`: nothing is sent anywhere, and no "
        "network is needed.\n",
        format_duration(range_.duration()), counted(events_, "event"), name_);
    entries_.push_back({"report.md", here(heading + markdown_of_notes(trace_, notes_) + "\n" + brief), {}});
    entries_.push_back({"report.html", here(page), {}});
    return {};
  }

  /// The folder that nobody else has becomes the finding itself: paths lead into it.
  std::string here(std::string text) const { return replace_all(std::move(text), scratch_.path(), name_); }

  void picture() {
    if (options_.without_picture) return;
    if (!context_.graphics.take_screenshot) {
      why_no_picture_ = "this lacuna was built without graphics";
      return;
    }
    ScreenshotOptions wanted;
    wanted.paths = paths_;
    wanted.output = scratch_.path() + "/timeline.png";
    wanted.import = import_;
    if (view_times_.view) wanted.range = {view_times_.view->begin, view_times_.view->end, false};
    if (const Result<void> taken = context_.graphics.take_screenshot(wanted); !taken) {
      why_no_picture_ = taken.error().cause;
      return;
    }
    entries_.push_back({"pictures/timeline.png", {}, wanted.output});
  }

  std::string scrubbed_words() const {
    std::uint64_t left_out = 0;
    for (const auto& [key, count] : scrubber_.left_out()) left_out += count;
    std::string text = fmt::format(
        "Replaced by hashes: {}. Left out: {} of args and of the file's head, whose keys are no "
        "profiler's.\n"
        "The sender has the list of the original names.\n\n",
        counted(scrubber_.replaced().size(), "name"), counted(left_out, "value"));
    if (!differences_.empty())
      text +=
          fmt::format("Without these names the report has another answer than on the original: {}.\n\n", differences_);
    for (const auto& [from, to] : scrubber_.replaced()) text += to + "\n";
    return text;
  }

  /// For who sends it alone.
  std::string changes() const {
    std::string text = "was\tis\n";
    for (const auto& [from, to] : scrubber_.replaced())
      text += replace_all(replace_all(from, "\t", " "), "\n", " ") + "\t" + to + "\n";
    for (const auto& [key, count] : scrubber_.left_out())
      text += replace_all(replace_all(key, "\t", " "), "\n", " ") + fmt::format("\tleft out {} times\n", count);
    return text;
  }

  void tell(Output& out) const {
    std::error_code none;
    const std::uintmax_t bytes = fs::file_size(options_.output, none);
    std::uint64_t left_out = 0;
    for (const auto& [key, count] : scrubber_.left_out()) left_out += count;
    if (options_.json) {
      JsonWriter json(out);
      json.member("file", options_.output);
      json.member("bytes", none ? 0 : bytes);
      json.member("startNs", range_.begin);
      json.member("endNs", range_.end);
      json.member("events", events_);
      json.begin_list("members");
      for (const ZipEntry& entry : entries_) json.element(entry.name);
      json.end();
      json.member("notes", notes_.size());
      json.member("notesOutside", notes_outside_);
      json.member("replaced", scrubber_.replaced().size());
      json.member("leftOut", left_out);
      json.member("changes", options_.scrub ? Json(options_.output + ".changes.tsv") : Json());
      json.member("whyNoPicture", why_no_picture_.empty() ? Json() : Json(why_no_picture_));
      json.finish();
      return;
    }
    out.write(fmt::format("{}\n{}: {} of {}", printable(options_.output), format_bytes(bytes),
                          counted(events_, "event"), format_duration(range_.duration())));
    for (const ZipEntry& entry : entries_) out.write("\n  " + entry.name);
    out.write("\n");
    if (notes_outside_ > 0) out.write(fmt::format("left out: {} outside the range\n", counted(notes_outside_, "note")));
    if (!why_no_picture_.empty()) out.write("no picture: " + printable(why_no_picture_) + "\n");
    if (options_.scrub)
      out.write(fmt::format(
          "scrubbed: {} by hashes, {} left out; what they were: {}.changes.tsv, which is yours: do not send it\n",
          counted(scrubber_.replaced().size(), "name"), counted(left_out, "value"), printable(options_.output)));
  }

  const CommandContext& context_;
  const BundleOptions& options_;
  const Trace& trace_;
  ImportOptions import_;  ///< of what was cut out
  ScratchFolder scratch_;
  Scrubber scrubber_;
  std::string name_, view_, why_no_picture_, differences_;
  std::vector<Report> original_;  ///< on the part before it is scrubbed
  TimeSpan range_;
  FindingTimes view_times_;
  std::uint64_t events_ = 0;
  std::size_t notes_outside_ = 0;
  std::vector<std::string> paths_;
  std::vector<Note> notes_;
  std::vector<ZipEntry> entries_;
};

constexpr const char* kBundleHelp =
    R"help(One zip archive to hand over: the trace, or what overlaps a range of it; how it is looked at, with notes; the report,
short as Markdown and whole as HTML; a picture; queries. lacuna FINDING.lacuna opens it on another machine to the same
view, without a network; every other command takes it, too. Nothing is uploaded.
--scrub keeps the names of PyTorch, its libraries and the profiler, and times, sizes and ids. All else that is a name
becomes a hash, that of a kernel with its class; args and values of unknown keys are left out. Pictures and reports are
made of what is scrubbed; scrubbed.txt says where a report has another answer. Beside it lies OUT.changes.tsv with what
was changed; in it only what became of it. Numbers can still tell what was run.
JSON keys of --json: file, bytes, startNs, endNs, events, members, notes, notesOutside (left out: not in the range),
replaced (names by hashes), leftOut (values), changes (file, or null), whyNoPicture (or null).)help";

}  // namespace

Command bundle_command(CommandContext& context) {
  return make_command(
      "bundle", "A trace with view, notes and answers as one file", kBundleHelp, std::make_shared<BundleOptions>(),
      [&context](const BundleOptions& options) -> Result<void> {
        if (!options.output.ends_with(kFindingEnding))
          return fail(ErrorCode::kInvalidArgument, "the name of a finding ends in .lacuna", options.output);
        if (Result<void> safe = check_is_no_input(options.output, context.load.paths); !safe) return safe;
        return answer_about_traces(
            context, [&](const Trace& trace, Output& out) { return Bundle(context, options, trace).write(out); });
      },
      &context.load);
}

}  // namespace lacuna
