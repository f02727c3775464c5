// `talus batch`: every case of a study in a folder of its own, a few at a time, and a summary. What
// is complete is not run again, what was interrupted goes on from its checkpoint.
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <thread>

#include "io/input_error.hpp"
#include "io/study_summary.hpp"
#include "io/text_file.hpp"
#include "tools/commands.hpp"
#include "tools/duration.hpp"
#include "tools/workers.hpp"

namespace talus {

namespace {

struct BatchOptions {
  std::string study, folder;
  int workers = 0;                                              // 0: one for every core
  int threads = 1;                                              // of a case
  std::size_t only = 0;                                         // the number of a case, 0: all
  double stop_after = std::numeric_limits<double>::infinity();  // wall time [s]
  double checkpoint_every = 60;                                 // wall time [s]
  bool slurm = false, summary = false;
};

double wall_clock() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// The folder is the study's own: it keeps a copy of the study, and a folder with another one is
// left alone.
void claim_folder(const Study& study, const std::filesystem::path& folder) {
  const std::filesystem::path copy = folder / "study.toml";
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw InputError(fmt::format("{}: cannot make: {}", folder.string(), failure.message()));
  if (std::filesystem::exists(copy)) {
    if (read_text_file(copy) == study.text) return;
    throw InputError(fmt::format("{}: holds the cases of another study (use -o for another folder)",
                                 folder.string()));
  }
  if (!std::filesystem::is_empty(folder))
    throw InputError(fmt::format("{}: holds something else already (use -o for another folder)",
                                 folder.string()));
  // Cases of an array job may come here at the same time.
  const std::filesystem::path unfinished = folder / fmt::format("study.toml.{}", getpid());
  if (!(std::ofstream(unfinished, std::ios::binary) << study.text << std::flush))
    throw InputError(fmt::format("{}: cannot write", copy.string()));
  std::filesystem::rename(unfinished, copy);
}

std::filesystem::path messages_of(const BatchOptions& options, const StudyCase& one) {
  return std::filesystem::path(options.folder) / one.folder() / "messages.txt";
}

Job job_of(const Study& study, const StudyCase& one, const BatchOptions& options,
           double seconds_left) {
  const std::filesystem::path folder = std::filesystem::path(options.folder) / one.folder();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw std::runtime_error(
        fmt::format("{}: cannot make: {}", folder.string(), failure.message()));
  Job job;
  job.arguments = {"run",
                   study.scene.string(),
                   "-o",
                   case_run(options.folder, one).string(),
                   "--resume",
                   "--quiet",
                   "--json",
                   "--threads",
                   std::to_string(options.threads)};
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

// The last line a case complained with, after what earlier attempts at it said.
std::string last_message(const std::filesystem::path& path, std::uintmax_t said_before) {
  std::ifstream file(path);
  file.seekg(static_cast<std::streamoff>(said_before));
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return last;
}

int summarise(const Study& study, const BatchOptions& options) {
  std::vector<CaseFigures> cases;
  std::size_t complete = 0;
  for (std::size_t k = 1; k <= study.size(); ++k) {
    cases.push_back(case_figures(options.folder, study.at(k)));
    complete += cases.back().status == CaseStatus::complete;
  }
  write_summary(study, cases, options.folder);
  fmt::print(stderr, "{} of {} cases complete; wrote {}\n", complete, study.size(),
             (std::filesystem::path(options.folder) / "summary.csv").string());
  return complete == study.size() ? 0 : 1;
}

int run_cases(const Study& study, const BatchOptions& options) {
  std::vector<StudyCase> to_run;
  for (std::size_t k = 1; k <= study.size(); ++k) {
    if (options.only > 0 && k != options.only) continue;
    const StudyCase one = study.at(k);
    if (case_status(case_run(options.folder, one)) != CaseStatus::complete) to_run.push_back(one);
  }
  const std::size_t asked = options.only > 0 ? 1 : study.size();
  if (to_run.size() < asked)
    fmt::print(stderr, "{} of {} cases are complete already\n", asked - to_run.size(), asked);
  const int workers =
      options.workers > 0
          ? options.workers
          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / options.threads);
  const double start = wall_clock();
  bool failed = false;
  std::vector<std::uintmax_t> said_before(to_run.size());
  const auto begin = [&](std::size_t k) {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(messages_of(options, to_run[k]), none);
    said_before[k] = none ? 0 : size;
    return job_of(study, to_run[k], options, options.stop_after - (wall_clock() - start));
  };
  const auto end = [&](std::size_t k, int status) {
    const StudyCase& one = to_run[k];
    const bool complete =
        status == 0 && case_status(case_run(options.folder, one)) == CaseStatus::complete;
    std::string outcome = complete ? "complete" : "stopped, to be resumed";
    if (status != 0 && status != 128 + SIGINT && status != 128 + SIGTERM) {
      failed = true;
      const std::string message = last_message(messages_of(options, one), said_before[k]);
      if (!message.empty())
        outcome = fmt::format("failed: {}", message);
      else if (status > 128)
        outcome = fmt::format("was killed by signal {}", status - 128);
      else
        outcome = fmt::format("failed with exit code {}", status);
    }
    fmt::print(stderr, "{:6.0f} s  case {} ({}) {}\n", wall_clock() - start, one.number,
               study.describe(one), outcome);
  };
  const int signal = run_jobs(to_run.size(), workers, begin, end);
  if (signal != 0) return 128 + signal;
  return failed ? 1 : 0;
}

// A job script for Slurm: one task of an array for every case.
void write_slurm_script(const Study& study, const BatchOptions& options) {
  const std::filesystem::path folder = std::filesystem::absolute(options.folder);
  const std::filesystem::path script = folder / "job.sh";
  const std::string text = fmt::format(
      R"(#!/bin/bash
# All {0} cases of {1}. Submit with:  sbatch --time=12:00:00 {2}
# A case stopped by the time limit goes on when the script is submitted again; complete ones are
# skipped. When all have ended:  talus batch {1} -o {3} --summary
#SBATCH --job-name={4}
#SBATCH --array=1-{0}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={5}
#SBATCH --signal=B:TERM@120
#SBATCH --output={3}/slurm-%a.log
exec {6} batch {1} -o {3} --threads {5} --case "$SLURM_ARRAY_TASK_ID"
)",
      study.size(), std::filesystem::absolute(study.path).string(), script.string(),
      folder.string(), std::filesystem::path(study.path).stem().string(), options.threads,
      std::filesystem::read_symlink("/proc/self/exe").string());
  if (!(std::ofstream(script, std::ios::binary) << text << std::flush))
    throw InputError(fmt::format("{}: cannot write", script.string()));
  fmt::print(stderr, "wrote {} for {} cases\n", script.string(), study.size());
}

int batch(BatchOptions options) {
  const Study study = read_study(options.study);
  if (options.folder.empty()) options.folder = std::filesystem::path(options.study).stem().string();
  if (options.only > study.size())
    throw InputError(
        fmt::format("--case {}: the study has cases 1 to {}", options.only, study.size()));
  claim_folder(study, options.folder);
  if (options.slurm) {
    write_slurm_script(study, options);
    return 0;
  }
  if (options.summary) return summarise(study, options);
  const int status = run_cases(study, options);
  if (options.only > 0) return status;  // others may be under way elsewhere
  const int incomplete = summarise(study, options);
  return status != 0 ? status : incomplete;
}

}  // namespace

void add_batch(CLI::App& app, Action& action) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* command =
      app.add_subcommand("batch", "Run every case of a parameter study, a few at a time");
  command->add_option("STUDY", options->study, "study file (scenes/README.md tells the format)")
      ->required();
  command->add_option("-o,--output", options->folder,
                      "folder for the cases and their summary [the study's name, in this folder]");
  command->add_option("--workers", options->workers, "cases at a time [as many as cores]")
      ->check(CLI::Range(1, 4096));
  command->add_option("--threads", options->threads, "threads of a case [1]")
      ->check(CLI::Range(1, 1024));
  command->add_option("--case", options->only, "this case only, by its number; no summary")
      ->check(CLI::PositiveNumber);
  command->add_option_function<std::string>(
      "--stop-after",
      [options](const std::string& text) {
        options->stop_after = parse_duration(text, "--stop-after");
      },
      "stop what is under way in good order after this wall time: 11h50m");
  command->add_option_function<std::string>(
      "--checkpoint-every",
      [options](const std::string& text) {
        options->checkpoint_every = parse_duration(text, "--checkpoint-every");
      },
      "wall time between the checkpoints of a case: 90, 30m, 2h [60]");
  command->add_flag("--summary", options->summary, "only write the summary of what is there");
  command->add_flag("--slurm", options->slurm, "only write job.sh, an array job for Slurm");
  command->footer(
      "Cases that are complete are skipped, interrupted ones go on from their checkpoints: run the "
      "same\n"
      "command again after a stop or a crash. Each case has its folder with run.h5, figures.json "
      "and\n"
      "messages.txt; summary.csv and summary.h5 hold a line for each.\n"
      "Exit codes: 0 all cases complete, 1 some are not, 2 bad usage or input.");
  command->callback([&action, options] { action = [options] { return batch(*options); }; });
}

}  // namespace talus
