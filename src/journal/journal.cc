// SPDX-License-Identifier: Apache-2.0
#include "journal/journal.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/crc32c.h"
#include "base/plant.h"
#include "journal/fact_codec.h"
#include "journal/record.h"

namespace windrow {
namespace {

constexpr std::string_view kMagic = "WRJ1";
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kPrefix = "journal.";

std::string journal_path(const std::string& folder, Epoch epoch) {
  return fmt::format("{}/{}{}", folder, kPrefix, epoch);
}

std::string header_payload(Epoch epoch, const JournalEnd& after) {
  std::string out;
  ByteWriter writer(out);
  writer.varint(epoch);
  writer.varint(after.epoch);
  writer.varint(after.length);
  writer.fixed(after.crc);
  return out;
}

struct Header {
  Epoch epoch = 0;
  JournalEnd after;
};

Result<Header> parse_header(std::string_view payload) {
  ByteReader reader(payload);
  Header header;
  header.epoch = reader.varint();
  header.after.epoch = reader.varint();
  header.after.length = reader.varint();
  header.after.crc = reader.fixed<std::uint32_t>();
  if (!reader.done()) return fail(ErrorCode::kInternal, "its first record is not a journal header");
  return header;
}

Result<std::vector<Epoch>> list_epochs(FileSystem& fs, const std::string& folder) {
  ASSIGN_OR_RETURN(const std::vector<FolderEntry> entries, fs.list(folder));
  std::vector<Epoch> epochs;
  for (const FolderEntry& entry : entries) {
    if (!entry.name.starts_with(kPrefix)) continue;
    const std::string_view digits = std::string_view(entry.name).substr(kPrefix.size());
    Epoch epoch = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), epoch);
    if (error == std::errc() && end == digits.end() && epoch > 0) epochs.push_back(epoch);
  }
  std::ranges::sort(epochs);
  return epochs;
}

// An open journal with its header read.
struct OpenJournal {
  std::unique_ptr<File> file;
  RecordReader reader;
  Header header;
};

Result<OpenJournal> open_journal(FileSystem& fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs.open(path));
  ASSIGN_OR_RETURN(RecordReader reader, RecordReader::open(*file, kMagic, kVersion));
  ASSIGN_OR_RETURN(const auto first, reader.next());
  if (!first) return fail(ErrorCode::kInternal, "it has no whole header");
  ASSIGN_OR_RETURN(const Header header, parse_header(*first));
  return OpenJournal{std::move(file), std::move(reader), header};
}

Status blame(const std::string& path, const Error& error) {
  return fail(error.code, "journal {}: {}", path, error.message);
}

// Reads one journal up to `limit`; where it ended.
Result<JournalEnd> replay_one(const std::string& path,
                              OpenJournal& journal,
                              std::uint64_t limit,
                              const std::function<Status(Fact&, const JournalPlace&)>& each) {
  for (;;) {
    const JournalPlace place{journal.header.epoch, journal.reader.position()};
    ASSIGN_OR_RETURN(const auto payload, journal.reader.next(limit));
    if (!payload) break;
    Result<Fact> fact = decode_fact(*payload);
    if (!fact) return std::unexpected(blame(path, fact.error()).error());
    if (const Status status = each(*fact, place); !status) {
      return std::unexpected(blame(path, status.error()).error());
    }
  }
  return JournalEnd{.epoch = journal.header.epoch,
                    .length = journal.reader.position(),
                    .crc = journal.reader.crc()};
}

// What the next journal builds on was perhaps only seen in the page cache: its master may have died
// before it was durable, file or name.
Status make_durable(FileSystem& fs, const std::string& folder, Epoch epoch) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(journal_path(folder, epoch)));
  RETURN_IF_ERROR(file->sync());
  return fs.sync_folder(folder);
}

}  // namespace

// The newest journal with a whole header is where the chain ends; each header points back to what
// counts before it. A newer file without a whole header is a master that died while creating it.
Result<JournalEnd> replay_with_places(
    FileSystem& fs,
    const std::string& state_folder,
    const std::function<Status(Fact&, const JournalPlace&)>& each) {
  ASSIGN_OR_RETURN(const std::vector<Epoch> epochs, list_epochs(fs, state_folder));
  std::vector<std::pair<std::string, OpenJournal>> chain;  // newest first
  std::vector<std::uint64_t> limits;
  std::vector<std::uint32_t> crcs;
  Epoch wanted = 0;
  for (auto it = epochs.rbegin(); it != epochs.rend(); ++it) {
    if (!chain.empty() && *it != wanted) continue;
    const std::string path = journal_path(state_folder, *it);
    Result<OpenJournal> journal = open_journal(fs, path);
    if (!journal) {
      const bool unborn = chain.empty() && journal.error().code == ErrorCode::kInternal;
      if (unborn) continue;
      return std::unexpected(blame(path, journal.error()).error());
    }
    if (journal->header.epoch != *it) {
      return fail(
          ErrorCode::kInternal, "journal {} says that it is epoch {}", path, journal->header.epoch);
    }
    wanted = journal->header.after.epoch;
    chain.emplace_back(path, *std::move(journal));
    if (wanted == 0) break;
  }
  if (chain.empty()) return JournalEnd{.highest = epochs.empty() ? 0 : epochs.back()};
  if (wanted != 0) {
    return fail(ErrorCode::kInternal,
                "journal {} is missing or damaged",
                journal_path(state_folder, wanted));
  }
  JournalEnd end;
  for (std::size_t i = chain.size(); i-- > 0;) {
    const bool newest = i == 0;
    const JournalEnd expected = newest ? JournalEnd{} : chain[i - 1].second.header.after;
    ASSIGN_OR_RETURN(
        end,
        replay_one(chain[i].first, chain[i].second, newest ? UINT64_MAX : expected.length, each));
    if (!newest && (end.length != expected.length || end.crc != expected.crc)) {
      return fail(ErrorCode::kInternal,
                  "journal {} is damaged: {} of {} bytes are good, and a later journal builds on "
                  "all of them",
                  chain[i].first,
                  end.length,
                  expected.length);
    }
  }
  end.highest = epochs.back();
  return end;
}

Result<JournalEnd> replay_journals(FileSystem& fs,
                                   const std::string& state_folder,
                                   const std::function<Status(Fact&)>& each) {
  return replay_with_places(
      fs, state_folder, [&each](Fact& fact, const JournalPlace&) { return each(fact); });
}

Result<Fact> read_fact(FileSystem& fs, const std::string& state_folder, const JournalPlace& place) {
  const std::string path = journal_path(state_folder, place.epoch);
  ASSIGN_OR_RETURN(OpenJournal journal, open_journal(fs, path));
  journal.reader.seek(place.offset);
  ASSIGN_OR_RETURN(const auto payload, journal.reader.next());
  if (payload) return decode_fact(*payload);
  return fail(ErrorCode::kInternal, "journal {} has no record at byte {}", path, place.offset);
}

Result<ReplayedJob> replay_job(FileSystem& fs, const std::string& state_folder) {
  ReplayedJob job;
  const auto apply = [&job](const Fact& fact) -> Status {
    RETURN_IF_ERROR(job.state.check(fact));
    job.state.apply(fact);
    return {};
  };
  ASSIGN_OR_RETURN(job.end, replay_journals(fs, state_folder, apply));
  return job;
}

Result<Epoch> newest_epoch(FileSystem& fs, const std::string& state_folder) {
  ASSIGN_OR_RETURN(const std::vector<Epoch> epochs, list_epochs(fs, state_folder));
  return epochs.empty() ? Epoch{0} : epochs.back();
}

Result<std::unique_ptr<File>> Journal::create(FileSystem& fs,
                                              const std::string& state_folder,
                                              const JournalEnd& after,
                                              std::uint64_t& size) {
  const Epoch epoch = after.highest + 1;
  const std::string path = journal_path(state_folder, epoch);
  if (after.epoch != 0 && !planted(Fault::kBuildOnUnsynced)) {
    RETURN_IF_ERROR(make_durable(fs, state_folder, after.epoch));
  }
  Result<std::unique_ptr<File>> file = fs.create(path);
  if (!file && file.error().code == ErrorCode::kConflict) {
    return fail(
        ErrorCode::kConflict, "another windrow has just taken this job over ({} exists)", path);
  }
  if (!file) return file;
  std::string head = file_magic(kMagic, kVersion);
  append_record(header_payload(epoch, after), head);
  RETURN_IF_ERROR((*file)->write_at(0, head));
  RETURN_IF_ERROR((*file)->sync());
  RETURN_IF_ERROR(fs.sync_folder(state_folder));
  size = head.size();
  return file;
}

Journal::Journal(Loop& loop,
                 std::unique_ptr<File> file,
                 std::uint64_t size,
                 Appender::Options options,
                 Appender::OnError on_error)
    : appender_(
          loop,
          std::move(file),
          size,
          options,
          [this](std::uint64_t up_to) { synced(up_to); },
          std::move(on_error)) {}

void Journal::append(const Fact& fact) {
  append_record_with(appender_.buffer(), [&](std::string& out) { encode_fact(fact, out); });
  appender_.grown();
}

void Journal::when_durable(std::function<void()> then) {
  if (appender_.unsynced() == 0) {
    then();
    return;
  }
  waiting_.push_back({appender_.end(), std::move(then)});
  appender_.hurry();
}

void Journal::synced(std::uint64_t up_to) {
  while (!waiting_.empty() && waiting_.front().end <= up_to) {
    const auto then = std::move(waiting_.front().then);
    waiting_.pop_front();
    then();
  }
}

}  // namespace windrow
