// SPDX-License-Identifier: Apache-2.0
//
// The account as text, as JSON and as a page.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/counted.h"
#include "base/json.h"
#include "base/process_name.h"
#include "base/text.h"
#include "core/output/account.h"

namespace windrow {
namespace {

struct Share {
  const char* name;
  const char* key;
  const char* colour;
  double seconds;
};

std::array<Share, 5> shares_of(const Account& account) {
  return {{{"mini-batches that count", "useful", "#2f9e62", account.useful},
           {"attempts that do not", "lost", "#d9483b", account.lost},
           {"init()", "init", "#4c7fd0", account.init},
           {"start-up", "start_up", "#a0a7b4", account.start_up},
           {"idle", "idle", "#e4e7ec", account.idle}}};
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string duration_text(double seconds) {
  return human_duration(Duration(static_cast<std::int64_t>(seconds * 1e9)));
}

std::string quartiles_text(const Account& account) {
  std::string out;
  for (const double value : account.quartiles) {
    out += (out.empty() ? "" : " / ") + duration_text(value);
  }
  return out;
}

constexpr double kWidth = 1000;  // of the timeline, in its own units
constexpr double kRow = 16;

void draw_line(
    const WorkerLine& line, std::int64_t began, double per_ns, double y, std::string& out) {
  for (const Span& span : line.spans) {
    const char* const kind = span.kind == Span::Kind::kInit     ? "init"
                             : span.kind == Span::Kind::kUseful ? "useful"
                                                                : "lost";
    const std::string what = span.kind == Span::Kind::kInit ? "init()"
                             : span.count > 1
                                 ? fmt::format("{} mini-batches from {} on", span.count, span.batch)
                                 : fmt::format("mini-batch {}", span.batch);
    out += fmt::format(
        "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" "
        "height=\"{:.0f}\"><title>{}, "
        "{}</title></rect>\n",
        kind,
        static_cast<double>(span.start_ns - began) * per_ns,
        y,
        std::max(0.3, static_cast<double>(span.end_ns - span.start_ns) * per_ns),
        kRow - 4,
        what,
        duration_text(static_cast<double>(span.end_ns - span.start_ns) / 1e9));
  }
}

std::string timeline(const Account& account) {
  std::int64_t began = INT64_MAX;
  std::int64_t ended = INT64_MIN;
  for (const WorkerLine& line : account.lines) {
    for (const Span& span : line.spans) {
      began = std::min(began, span.start_ns);
      ended = std::max(ended, span.end_ns);
    }
  }
  if (began >= ended) return "<p>No worker has done anything.</p>\n";
  const double per_ns = kWidth / static_cast<double>(ended - began);
  const double label = 90;
  std::string out = fmt::format(
      "<svg viewBox=\"-{:.0f} 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"timeline\">\n",
      label,
      kWidth + label,
      kRow * static_cast<double>(account.lines.size()) + 18);
  double y = 0;
  for (const WorkerLine& line : account.lines) {
    out += fmt::format("<text x=\"-{:.0f}\" y=\"{:.0f}\">{}</text>\n",
                       label,
                       y + kRow - 6,
                       process_name(line.process));
    draw_line(line, began, per_ns, y, out);
    y += kRow;
  }
  for (int i = 0; i <= 4; ++i) {
    const double at = kWidth * i / 4;
    out += fmt::format(
        "<text class=\"scale\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n",
        at,
        y + 12,
        i == 0   ? "start"
        : i == 4 ? "end"
                 : "middle",
        duration_text(at / per_ns / 1e9));
  }
  return out + "</svg>\n";
}

constexpr const char* kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;"
    "color:#1d232b;background:#fff}"
    "h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .9rem .2rem 0;text-align:left}"
    "td.number{text-align:right;font-variant-numeric:tabular-nums}"
    ".bar{display:flex;height:22px;border-radius:4px;overflow:hidden;margin:.6rem 0}"
    "svg{width:100%;height:auto;font:10px system-ui,sans-serif}"
    ".key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em}"
    ".useful{fill:#2f9e62}.lost{fill:#d9483b}.init{fill:#4c7fd0}.scale{fill:#68707c}";

}  // namespace

std::string account_text(const Account& account, const std::string& job) {
  std::string out = fmt::format("Job {}: {} on {}, {}\n",
                                job,
                                duration_text(account.wall),
                                counted(account.workers, "worker"),
                                counted(account.attempts, "attempt"));
  for (const Share& share : shares_of(account)) {
    out += fmt::format("  {:<24} {:>12}  {:>5.1f} %\n",
                       share.name,
                       fmt::format("{:.2f} s", share.seconds),
                       percent(share.seconds, account.all()));
  }
  if (!account.slowest.empty()) {
    out += fmt::format("One mini-batch took (least, quarter, half, three quarters, most)\n  {}\n",
                       quartiles_text(account));
    out += "The slowest\n";
    for (const SlowBatch& one : account.slowest) {
      out += fmt::format("  mini-batch {:<10} {:>10}  {}\n",
                         one.batch,
                         duration_text(one.seconds),
                         process_name(one.process));
    }
  }
  if (!account.hungriest.empty()) out += "Most memory of a worker\n";
  for (const HungryBatch& one : account.hungriest) {
    out += fmt::format("  mini-batch {:<10} {:>10}  {}\n",
                       one.batch,
                       human_bytes(one.bytes),
                       process_name(one.process));
  }
  for (const std::string& advice : account.advice) out += "Try " + advice + "\n";
  return out;
}

std::string account_json(const Account& account,
                         const std::string& job,
                         const std::string& status) {
  JsonWriter json;
  json.begin_object().field("status", status).field("exit_code", 0);
  json.field("job", job).field("seconds", account.wall);
  json.field("workers", account.workers).field("attempts", account.attempts);
  json.field("attempts_lost", account.attempts_lost);
  json.key("worker_seconds").begin_object();
  for (const Share& share : shares_of(account)) json.field(share.key, share.seconds);
  json.end_object();
  json.key("mini_batch_seconds").begin_array();
  for (const double value : account.quartiles) json.value(value);
  json.end_array();
  json.key("slowest").begin_array();
  for (const SlowBatch& one : account.slowest) {
    json.begin_object().field("mini_batch", one.batch).field("seconds", one.seconds);
    json.field("process", one.process).field("results", one.items).end_object();
  }
  json.end_array();
  json.field("memory_peak", account.hungriest.empty() ? 0 : account.hungriest.front().bytes);
  json.key("hungriest").begin_array();
  for (const HungryBatch& one : account.hungriest) {
    json.begin_object().field("mini_batch", one.batch).field("bytes", one.bytes);
    json.field("process", one.process).end_object();
  }
  json.end_array();
  json.key("advice").begin_array();
  for (const std::string& advice : account.advice) json.value(advice);
  json.end_array().end_object();
  return json.text() + "\n";
}

std::string account_page(const Account& account, const std::string& job) {
  const std::string name = escape_html(escape_bytes(job));
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>"
      "<style>{1}</style></head><body>\n<h1>{0}</h1>\n<p>{2} on {3}, {4}, {5} of "
      "them lost.</p>\n",
      name,
      kStyle,
      duration_text(account.wall),
      counted(account.workers, "worker"),
      counted(account.attempts, "attempt"),
      human_count(account.attempts_lost));
  if (!account.first_failed.empty()) {
    out += fmt::format("<p>The first failed item is {}</p>\n", escape_html(account.first_failed));
  }
  out += "<h2>Where the time of the workers went</h2>\n<div class=\"bar\">";
  for (const Share& share : shares_of(account)) {
    out += fmt::format("<div style=\"width:{:.2f}%;background:{}\"></div>",
                       percent(share.seconds, account.all()),
                       share.colour);
  }
  out += "</div>\n<table>\n";
  for (const Share& share : shares_of(account)) {
    out += fmt::format(
        "<tr><td><span class=\"key\" style=\"background:{}\"></span>{}</td><td class=\"number\">"
        "{:.2f} s</td><td class=\"number\">{:.1f} %</td></tr>\n",
        share.colour,
        share.name,
        share.seconds,
        percent(share.seconds, account.all()));
  }
  out += "</table>\n";
  for (const std::string& advice : account.advice) {
    out += fmt::format("<p>Try <code>{}</code></p>\n", escape_html(advice));
  }
  out += "<h2>Who did what when</h2>\n" + timeline(account);
  if (!account.slowest.empty()) {
    out += fmt::format(
        "<h2>The slowest mini-batches</h2>\n<p>Least, quarter, half, three quarters, most: {}</p>\n"
        "<table>\n",
        quartiles_text(account));
    for (const SlowBatch& one : account.slowest) {
      out += fmt::format("<tr><td>mini-batch {}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                         one.batch,
                         duration_text(one.seconds),
                         process_name(one.process));
    }
    out += "</table>\n";
  }
  if (!account.hungriest.empty()) out += "<h2>Most memory of a worker</h2>\n<table>\n";
  for (const HungryBatch& one : account.hungriest) {
    out += fmt::format("<tr><td>mini-batch {}</td><td class=\"number\">{}</td><td>{}</td></tr>\n",
                       one.batch,
                       human_bytes(one.bytes),
                       process_name(one.process));
  }
  if (!account.hungriest.empty()) out += "</table>\n";
  return out + "</body></html>\n";
}

}  // namespace windrow
