// SPDX-License-Identifier: Apache-2.0
// `talus batch`: runs every case of a study in its own folder, several at a time, and writes a
// summary.
#include <fmt/core.h>

#include <memory>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/text/text_file.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/slurm_script.hpp"
#include "tools/commands/study_runner.hpp"
#include "tools/terminal/number_option.hpp"

namespace talus {

namespace {

struct BatchOptions : StudyRun {
  std::string study;
  bool slurm = false, summary = false, force = false;
};

// An existing script is not replaced without --force: it may have been edited.
void write_job_script(const Study& study, const BatchOptions& options) {
  const std::filesystem::path folder = std::filesystem::absolute(options.folder);
  const std::filesystem::path script = folder / "job.sh";
  const std::string text = slurm_script({.program = std::filesystem::read_symlink("/proc/self/exe"),
                                         .study = std::filesystem::absolute(study.path),
                                         .folder = folder,
                                         .cases = study.size(),
                                         .threads = options.threads});
  const bool same = std::filesystem::exists(script) && read_text_file(script) == text;
  if (!same) write_text_file(script, text, existing_files(options.force));
  fmt::print(stderr, "wrote {} for {} cases\n", script.string(), study.size());
}

int batch(BatchOptions options) {
  const Study study = read_study(options.study);
  if (options.folder.empty()) options.folder = std::filesystem::path(options.study).stem().string();
  if (options.only > study.size())
    throw InputError(
        fmt::format("--case {}: the study has cases 1 to {}", options.only, study.size()));
  claim_folder(study, options.folder);
  const auto sum_up = [&] {
    return study.bisection ? summarise(study, all_brackets(study, options.folder), options.folder)
                           : summarise(study, all_figures(study, options.folder), options.folder);
  };
  if (options.slurm) {
    write_job_script(study, options);
    return 0;
  }
  if (options.summary) return sum_up();
  const int status = run_cases(study, options);
  if (options.only > 0) {  // other cases may be running elsewhere
    if (status != 0) return status;
    const StudyCase one = study.at(options.only);
    return study.bisection ? verdict(bracket(study, options.folder, one))
                           : verdict(case_figures(study, options.folder, one));
  }
  const int summary = sum_up();
  return status != 0 ? status : summary;
}

}  // namespace

void add_batch(CLI::App& app, Action& action) {
  auto options = std::make_shared<BatchOptions>();
  CLI::App* command =
      app.add_subcommand("batch", "Run every case of a parameter study, a few at a time");
  command->add_option("STUDY", options->study, "study file (see scenes/README.md)")->required();
  command->add_option("-o,--output", options->folder,
                      "folder for the cases and their summary [the study's name, in this folder]");
  command->add_option("--case", options->only, "this case only, by its number; no summary")
      ->check(whole_number(1));
  add_study_options(*command, *options);
  command->add_flag("--summary", options->summary,
                    "only write the summary of the cases run so far");
  command->add_flag("--slurm", options->slurm, "only write job.sh, an array job for Slurm");
  command->add_flag("--force", options->force, "overwrite a job.sh that was edited");
  command->footer(
      "Cases that are complete are skipped, interrupted ones go on from their checkpoints: run the "
      "same\n"
      "command again after a stop or a crash. Each case has its folder with run.h5, figures.json "
      "and\n"
      "messages.txt; summary.csv and summary.h5 hold a line for each.\n"
      "A study whose scene was edited after some cases ran is refused. Signals are passed on to "
      "the "
      "cases.\n"
      "A study with [[bisect]] runs each case again and again until it has the value at which the "
      "outcome\n"
      "changes; its runs are in run-01, run-02, … of the folder of the case, runs.csv has a line "
      "for "
      "each.\n"
      "Exit codes: 0 all cases complete, 1 some are not, 2 bad usage or input, 3 all are complete "
      "but steps\n"
      "of some missed the tolerance or some have no threshold, 128 + signal when stopped by one.\n"
      "Example:  talus batch scenes/studies/friction.toml --workers 2");
  command->callback([&action, options] { action = [options] { return batch(*options); }; });
}

}  // namespace talus
