// The answer in a few lines, within a budget.

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "app/cli/json_writer.h"
#include "app/cli/report.h"
#include "app/cli/text_table.h"
#include "app/tables/report_format.h"
#include "model/report/brief.h"
#include "render/format.h"

namespace lacuna {
namespace {

/// Tokens are of models, which differ: of English, commands and numbers one has about so many characters.
constexpr std::size_t kCharactersOfToken = 4;

/// A ts of the file, as --from-us takes it.
std::string microseconds(Nanos t) {
  const bool is_negative = t < 0;
  const std::uint64_t size = is_negative ? 0 - static_cast<std::uint64_t>(t) : static_cast<std::uint64_t>(t);
  return fmt::format("{}{}.{:03}", is_negative ? "-" : "", size / 1000, size % 1000);
}

std::string lever_text(const Brief::Lever& lever) {
  std::string text = lever.gain ? fmt::format("Gains up to {} of {} ({}), by a replay. ", format_duration(*lever.gain),
                                              format_duration(lever.replayed),
                                              format_percent(TimeUse::part(*lever.gain, lever.replayed)))
                                : std::string();
  text += lever.text;
  if (!lever.blamed.empty()) text += fmt::format(" Look first at {}.", lever.blamed);
  return text;
}

/// One report's brief, and how much of it there is room for.
class BriefText {
 public:
  BriefText(const Trace& trace, const Report& report)
      : brief_(make_brief(trace, report, kReportFormat)),
        file_(trace.sources()[report.source.value].path),
        shift_(trace.sources()[report.source.value].shift_ns) {}

  const Brief& brief() const { return brief_; }
  const std::string& file() const { return file_; }
  /// Of the file alone, whose times are not shifted.
  std::string command(const Brief::Place& place) const {
    return printable_words({"lacuna", "stats", file_.starts_with('-') ? "./" + file_ : file_, "--from-us",
                            microseconds(saturating_sub(place.span.begin, shift_)), "--to-us",
                            microseconds(saturating_sub(place.span.end, shift_))});
  }

  /// Leaves out what does not fit into so many characters, the least telling first; the answer always stays.
  void fit(std::size_t characters) {
    std::size_t used = 0;
    const auto fits = [&](std::size_t more) {
      const bool has_room = used + more <= characters;
      if (has_room) used += more;
      return has_room;
    };
    (void)fits(std::min(characters, brief_.answer.size() + file_.size()));
    std::vector<std::string> summary;
    std::vector<Brief::Lever> levers;
    std::vector<Brief::Place> places;
    const std::size_t most = std::max({brief_.summary.size(), brief_.levers.size(), brief_.places.size()});
    // In turns: the first lever and place say more than the last sentence of the summary.
    for (std::size_t i = 0; i < most; ++i) {
      if (i < brief_.levers.size() && fits(lever_text(brief_.levers[i]).size())) levers.push_back(brief_.levers[i]);
      if (i < brief_.places.size() && fits(brief_.places[i].text.size() + command(brief_.places[i]).size()))
        places.push_back(brief_.places[i]);
      if (i < brief_.summary.size() && fits(brief_.summary[i].size())) summary.push_back(brief_.summary[i]);
    }
    left_out_ = brief_.summary.size() - summary.size() + brief_.levers.size() - levers.size() + brief_.places.size() -
                places.size();
    brief_.summary = std::move(summary);
    brief_.levers = std::move(levers);
    brief_.places = std::move(places);
  }
  std::size_t left_out() const { return left_out_; }

 private:
  Brief brief_;
  std::string file_;
  Nanos shift_ = 0;  // of the file's times in `brief_`
  std::size_t left_out_ = 0;
};

void write_brief_text(const std::vector<BriefText>& texts, std::size_t width, Output& out) {
  for (const BriefText& text : texts) {
    const Brief& brief = text.brief();
    out.write(printable(text.file()) + "\n");
    std::string answer = brief.answer;
    if (!brief.confidence.empty()) answer += fmt::format(" Confidence: {}.", brief.confidence);
    write_wrapped("  ", printable(answer), width, out);
    for (const std::string& line : brief.summary) write_wrapped("  - ", printable(line), width, out);
    if (!brief.levers.empty()) out.write("What to change\n");
    for (const Brief::Lever& lever : brief.levers) write_wrapped("  ! ", printable(lever_text(lever)), width, out);
    if (!brief.places.empty()) out.write("Where to look\n");
    for (const Brief::Place& place : brief.places) {
      write_wrapped("  - ", printable(place.text), width, out);
      out.write("    " + text.command(place) + "\n");
    }
    if (text.left_out() > 0)
      out.write(
          fmt::format("Left out, as --tokens has no room for them: {}; lacuna report has them\n", text.left_out()));
  }
  if (texts.empty()) out.write("no slices in this trace\n");
}

/// Text of a trace as text, whatever it has in it.
std::string markdown_escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>#|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

void write_brief_markdown(const std::vector<BriefText>& texts, Output& out) {
  for (const BriefText& text : texts) {
    const Brief& brief = text.brief();
    out.write(fmt::format(
        "## {}\n\n**{}**{}\n\n", markdown_escape(text.file()), markdown_escape(brief.answer),
        brief.confidence.empty() ? "" : fmt::format(" Confidence: {}.", markdown_escape(brief.confidence))));
    for (const std::string& line : brief.summary) out.write("- " + markdown_escape(line) + "\n");
    if (!brief.levers.empty()) out.write("\n### What to change\n\n");
    for (const Brief::Lever& lever : brief.levers) out.write("- " + markdown_escape(lever_text(lever)) + "\n");
    if (!brief.places.empty()) out.write("\n### Where to look\n\n");
    for (const Brief::Place& place : brief.places)
      out.write(fmt::format("- {}\n\n      {}\n", markdown_escape(place.text), text.command(place)));
    if (text.left_out() > 0)
      out.write(fmt::format("\nLeft out, as --tokens has no room for them: {}.\n", text.left_out()));
    out.write("\n");
  }
  if (texts.empty()) out.write("No slices in this trace.\n");
}

void write_brief_json(const std::vector<BriefText>& texts, const std::vector<Report>& reports, Output& out) {
  JsonWriter json(out);
  json.begin_list("briefs");
  for (std::size_t r = 0; r < texts.size(); ++r) {
    const Report& report = reports[r];
    const Brief& brief = texts[r].brief();
    json.begin_element_object();
    json.member("file", texts[r].file());
    json.member("answer", brief.answer);
    json.member("verdict", bound_key(brief.bound));
    json.member("confidence", brief.confidence.empty() ? Json() : Json(brief.confidence));
    json.member("window", {{"startNs", report.window.begin}, {"endNs", report.window.end}});
    json.member("summary", brief.summary);
    json.begin_list("levers");
    for (const Brief::Lever& lever : brief.levers)
      json.element({{"rule", lever.rule},
                    {"text", lever.text},
                    {"blamed", lever.blamed.empty() ? Json() : Json(lever.blamed)},
                    {"gainNs", lever.gain ? Json(*lever.gain) : Json()},
                    {"replayedNs", lever.gain ? Json(lever.replayed) : Json()}});
    json.end();
    json.begin_list("places");
    for (const Brief::Place& place : brief.places)
      json.element({{"text", place.text},
                    {"startNs", place.span.begin},
                    {"endNs", place.span.end},
                    {"command", texts[r].command(place)}});
    json.end();
    json.member("leftOut", texts[r].left_out());
    json.end();
  }
  json.end();
  json.finish();
}

}  // namespace

void write_report_brief(const Trace& trace, const std::vector<Report>& reports, const ReportCommand& how, Output& out) {
  const std::size_t most = how.tokens == 0 ? std::numeric_limits<std::size_t>::max() : how.tokens * kCharactersOfToken;
  std::vector<BriefText> whole;
  for (const Report& report : reports) whole.emplace_back(trace, report);
  // What stands around the texts counts as well: less of them until all of it fits, or the answer is left alone.
  for (std::size_t characters = most;;) {
    std::vector<BriefText> texts = whole;
    for (BriefText& one : texts) one.fit(characters / texts.size());
    std::string text;
    Output into(text);
    if (how.json) {
      write_brief_json(texts, reports, into);
    } else if (how.markdown) {
      write_brief_markdown(texts, into);
    } else {
      write_brief_text(texts, how.width, into);
    }
    if (text.size() <= most || characters == 0) return out.write(text);
    characters -= std::min(characters, text.size() - most);
  }
}

}  // namespace lacuna
