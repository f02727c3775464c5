// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/study_runner.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <thread>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/text/text_file.hpp"
#include "tools/commands/run_signals.hpp"
#include "tools/commands/workers.hpp"
#include "tools/terminal/duration.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

// Writes a copy of a text in the folder of the study. Several tasks of an array job may do so at
// the same time: the later ones find the copy of the first.
void keep_copy(const std::filesystem::path& copy, const std::string& text) {
  try {
    write_text_file(copy, text, Existing::keep);
  } catch (const InputError&) {
    if (!std::filesystem::exists(copy)) throw;
  }
}

// Whether the folder has other files than copies of the study, which are named study.toml…
bool holds_anything_but_copies(const std::filesystem::path& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return std::any_of(begin(entries), end(entries), [](const auto& entry) {
    return !entry.path().filename().string().starts_with("study.toml");
  });
}

std::filesystem::path messages_of(const StudyRun& options, const StudyCase& one) {
  return std::filesystem::path(options.folder) / one.folder() / "messages.txt";
}

Job job_of(const Study& study, const StudyCase& one, const StudyRun& options, double seconds_left) {
  const std::filesystem::path folder = std::filesystem::path(options.folder) / one.folder();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw std::runtime_error(
        fmt::format("{}: cannot make: {}", folder.string(), failure.message()));
  Job job;
  job.arguments = {"run",       study.scene.string(),
                   "-o",        case_run(options.folder, one).string(),
                   "--resume",  "--quiet",
                   "--json",    "--tell-parent",
                   "--threads", std::to_string(options.threads)};
  const auto add_span = [&](const char* option, double seconds) {
    job.arguments.push_back(option);
    job.arguments.push_back(fmt::format("{:.3f}s", std::max(seconds, 1e-3)));
  };
  add_span("--checkpoint-every", options.checkpoint_every);
  if (seconds_left < std::numeric_limits<double>::infinity())
    add_span("--stop-after", seconds_left);
  for (const std::string& change : study.overrides(one)) {
    job.arguments.push_back("--set");
    job.arguments.push_back(change);
  }
  job.output = folder / "figures.json";
  job.messages = messages_of(options, one);
  return job;
}

// The last line of the messages of a case; messages of earlier attempts are skipped.
std::string last_message(const std::filesystem::path& path, std::uintmax_t said_before) {
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(said_before));
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return last;
}

std::string outcome_of(const CaseFigures& figures) {
  if (figures.status != CaseStatus::complete) return "stopped, to be resumed";
  std::string outcome = "complete";
  if (!figures.stopped_by.empty()) outcome += fmt::format(" ({})", figures.stopped_by);
  if (figures.unconverged > 0)
    outcome += fmt::format(", but {} of {} steps missed the tolerance", figures.unconverged,
                           figures.steps);
  return outcome;
}

class CaseRunner {
 public:
  CaseRunner(const Study& study, const StudyRun& options, std::vector<StudyCase> cases,
             ProgressLine& line)
      : study_(study),
        options_(options),
        cases_(std::move(cases)),
        said_before_(cases_.size()),
        line_(line) {}

  int run() {
    const JobEvents events{
        .start = [this](std::size_t k) { return start(k); },
        .ended = [this](std::size_t k, int status) { say(k, outcome(k, status)); },
        .not_started =
            [this](std::size_t k, const char* why) {
              failed_ = true;
              say(k, fmt::format("cannot begin: {}", why));
            },
        .waiting = [this](const auto& under_way) { show(under_way); }};
    const int signal = run_jobs(cases_.size(), workers(), events);
    if (signal != 0) return 128 + signal;
    return failed_ ? failed_code : 0;
  }

 private:
  int workers() const {
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    return options_.workers > 0 ? options_.workers : std::max(1, cores / options_.threads);
  }

  Job start(std::size_t k) {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(messages_of(options_, cases_[k]), none);
    said_before_[k] = none ? 0 : size;
    return job_of(study_, cases_[k], options_, options_.stop_after - line_.wall_seconds());
  }

  // The message for a case that has ended.
  std::string outcome(std::size_t k, int status) {
    const bool stopped = std::any_of(ending_signals.begin(), ending_signals.end(),
                                     [&](int signal) { return status == 128 + signal; });
    if (stopped) return "stopped, to be resumed";
    if (status == 0) {
      try {
        const CaseFigures figures = case_figures(study_, options_.folder, cases_[k]);
        ++ended_;
        return outcome_of(figures);
      } catch (const InputError& error) {
        failed_ = true;
        return fmt::format("failed: {}", error.what());
      }
    }
    failed_ = true;
    const std::string message = last_message(messages_of(options_, cases_[k]), said_before_[k]);
    if (!message.empty()) return fmt::format("failed: {}", message);
    return status > 128 ? fmt::format("was killed by signal {}", status - 128)
                        : fmt::format("failed with exit code {}", status);
  }

  void say(std::size_t k, const std::string& what) {
    line_.clear();
    fmt::print(stderr, "{:6.0f} s  case {} ({}) {}\n", line_.wall_seconds(), cases_[k].number,
               study_.describe(cases_[k]), what);
  }

  void show(const std::map<std::size_t, JobProgress>& under_way) {
    if (!line_.due()) return;
    constexpr std::size_t most_shown = 4;
    std::string cases;
    std::size_t shown = 0;
    for (const auto& [k, progress] : under_way) {
      if (shown++ == most_shown) {
        cases += ", …";
        break;
      }
      const double share = progress.last_step > 0 ? static_cast<double>(progress.step) /
                                                        static_cast<double>(progress.last_step)
                                                  : 0;
      cases += fmt::format("{} case {} at {:.0f} %", shown == 1 ? ":" : ",", cases_[k].number,
                           100 * share);
    }
    line_.show(fmt::format("{:6.0f} s  {} of {} cases done, {} running{}", line_.wall_seconds(),
                           ended_, cases_.size(), under_way.size(), cases));
  }

  const Study& study_;
  const StudyRun& options_;
  const std::vector<StudyCase> cases_;
  std::vector<std::uintmax_t> said_before_;  // size of the messages of earlier attempts [bytes]
  ProgressLine& line_;
  std::size_t ended_ = 0;
  bool failed_ = false;
};

}  // namespace

void add_study_options(CLI::App& command, StudyRun& run) {
  command.add_option("--workers", run.workers, "cases at a time [as many as cores]")
      ->check(whole_number(1, 4096));
  command.add_option("--threads", run.threads, "threads of a case [1]")
      ->check(whole_number(1, 1024));
  command.add_option_function<std::string>(
      "--stop-after",
      [&run](const std::string& text) { run.stop_after = parse_duration(text, "--stop-after"); },
      "stop what is under way in good order after this wall time: 11h50m");
  command.add_option_function<std::string>(
      "--checkpoint-every",
      [&run](const std::string& text) {
        run.checkpoint_every = parse_duration(text, "--checkpoint-every");
      },
      "wall time between the checkpoints of a case: 90, 30m, 2h [60]");
}

void claim_folder(const Study& study, const std::filesystem::path& folder) {
  const std::filesystem::path copy = folder / "study.toml";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw InputError(fmt::format("{}: cannot make: {}", folder.string(), failure.message()));
  const auto has_copy = [&] { return std::filesystem::exists(copy); };
  if (!has_copy()) {
    if (holds_anything_but_copies(folder) && !has_copy())
      throw InputError(fmt::format("{}: holds something else already (use -o for another folder)",
                                   folder.string()));
    keep_copy(copy, study.text);
  }
  if (read_text_file(copy) != study.text)
    throw InputError(fmt::format("{}: holds the cases of another study (use -o for another folder)",
                                 folder.string()));
}

namespace {

int run_bisection(const Study& study, const StudyRun& options, std::vector<StudyCase> open,
                  ProgressLine& line) {
  int status = 0;
  while (!open.empty()) {
    std::vector<StudyCase> to_run, going_on;
    for (const StudyCase& one : open) {
      const Bracket now = bracket(study, options.folder, one);
      if (now.done()) {
        fmt::print(stderr, "{:6.0f} s  case {}{}: {}\n", line.wall_seconds(), one.number,
                   one.values.empty() ? "" : fmt::format(" ({})", study.describe(one)),
                   words(study, now));
        continue;
      }
      going_on.push_back(one);
      to_run.insert(to_run.end(), now.next.begin(), now.next.end());
    }
    if (to_run.empty()) break;
    const int round = CaseRunner(study, options, to_run, line).run();
    if (round > 128) return round;
    if (round != 0) status = round;
    // A case whose run failed, or was stopped, waits for the next time.
    open.clear();
    for (const StudyCase& one : going_on) {
      const bool ready = std::none_of(to_run.begin(), to_run.end(), [&](const StudyCase& run) {
        return run.number == one.number &&
               case_status(study, options.folder, run) != CaseStatus::complete;
      });
      if (ready) open.push_back(one);
    }
  }
  return status;
}

}  // namespace

int run_cases(const Study& study, const StudyRun& options) {
  std::vector<StudyCase> to_run;
  const std::size_t first = options.only > 0 ? options.only : 1;
  const std::size_t last = options.only > 0 ? options.only : study.size();
  const auto is_done = [&](const StudyCase& one) {
    return study.bisection ? bracket(study, options.folder, one).done()
                           : case_status(study, options.folder, one) == CaseStatus::complete;
  };
  for (std::size_t k = first; k <= last; ++k)
    if (const StudyCase one = study.at(k); !is_done(one)) to_run.push_back(one);
  const std::size_t asked = last - first + 1;
  if (to_run.size() < asked)
    fmt::print(stderr, "{} of {} cases are complete already\n", asked - to_run.size(), asked);
  ProgressLine line{false};
  return study.bisection ? run_bisection(study, options, std::move(to_run), line)
                         : CaseRunner(study, options, std::move(to_run), line).run();
}

namespace {

int tell_summary(const Study& study, std::size_t complete, const std::vector<std::size_t>& missed,
                 const std::filesystem::path& folder) {
  fmt::print(stderr, "{} of {} cases complete; wrote {}\n", complete, study.size(),
             (folder / "summary.csv").string());
  if (!missed.empty())
    fmt::print(stderr,
               "warning: steps missed the tolerance in {} of {} cases, the first is case {}\n",
               missed.size(), study.size(), missed.front());
  return complete < study.size() ? failed_code : 0;
}

std::int64_t unconverged_steps(const Bracket& bracket) {
  std::int64_t steps = 0;
  for (const CaseFigures& run : bracket.runs) steps += run.unconverged;
  return steps;
}

}  // namespace

int verdict(const CaseFigures& figures) { return figures.unconverged > 0 ? missed_code : 0; }

int verdict(const Bracket& bracket) {
  return bracket.same_outcome() || unconverged_steps(bracket) > 0 ? missed_code : 0;
}

int summarise(const Study& study, const std::vector<CaseFigures>& cases,
              const std::filesystem::path& folder) {
  std::size_t complete = 0;
  std::vector<std::size_t> missed;
  for (const CaseFigures& one : cases) {
    complete += one.status == CaseStatus::complete;
    if (one.unconverged > 0) missed.push_back(one.one.number);
  }
  write_summary(study, cases, folder);
  const int status = tell_summary(study, complete, missed, folder);
  return status != 0 || missed.empty() ? status : missed_code;
}

int summarise(const Study& study, const std::vector<Bracket>& brackets,
              const std::filesystem::path& folder) {
  std::size_t complete = 0;
  std::vector<std::size_t> missed, same;
  for (const Bracket& bracket : brackets) {
    complete += bracket.done();
    if (unconverged_steps(bracket) > 0) missed.push_back(bracket.one.number);
    if (bracket.same_outcome()) same.push_back(bracket.one.number);
  }
  write_bisection(study, brackets, folder);
  const int status = tell_summary(study, complete, missed, folder);
  if (!same.empty()) {
    const Bracket& first = brackets[same.front() - 1];
    fmt::print(stderr, "warning: {} of {} cases have no threshold; case {}: {}\n", same.size(),
               study.size(), same.front(), words(study, first));
  }
  return status != 0 || (missed.empty() && same.empty()) ? status : missed_code;
}

}  // namespace talus
