// SPDX-License-Identifier: Apache-2.0
// `talus view`: a run, or two side by side, as one page for a browser.
#include <fmt/format.h>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/text/printable.hpp"
#include "io/trajectory/run_names.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/number_option.hpp"
#include "tools/view/page.hpp"
#include "tools/view/run_text.hpp"

namespace talus {

namespace {

struct ViewArguments {
  std::vector<std::string> runs;
  std::string output;
  double megabytes = 60;
  bool force = false;
};

// Its chunks fill what the rest leaves of `bytes`.
PageRun page_run(const TrajectoryReader& run, const std::string& file, double bytes) {
  PageRun page;
  page.name = printable(std::filesystem::path(file).stem().string());
  page.growing = growing_text(run, file);
  page.fixed = fixed_text(run, file, {});
  const Shown shown =
      shown_within(run, bytes - static_cast<double>(page.growing.size() + page.fixed.size()));
  if (shown.every > 1)
    fmt::print(stderr, "{}: one frame in {} of {} is shown, for a page below the size (--size)\n",
               file, shown.every, run.frames().size());
  page.fixed = fixed_text(run, file, shown);
  page.chunks = chunk_texts(run, 0, shown);
  return page;
}

// Two runs share one camera.
void require_one_dimension(const std::vector<TrajectoryReader>& runs,
                           const std::vector<std::string>& files) {
  for (std::size_t k = 1; k < runs.size(); ++k)
    if (runs[k].header().dimension != runs[0].header().dimension)
      throw InputError(fmt::format("{} has {} dimensions, {} has {}: they cannot be compared",
                                   files[0], runs[0].header().dimension, files[k],
                                   runs[k].header().dimension));
}

int view(ViewArguments arguments) {
  if (arguments.output.empty()) arguments.output = beside_run(arguments.runs[0], "html").string();
  const Existing existing = existing_files(arguments.force);
  refuse_existing(arguments.output, existing);
  std::vector<TrajectoryReader> runs;
  for (const std::string& file : arguments.runs) runs.emplace_back(file);
  require_one_dimension(runs, arguments.runs);

  std::vector<PageRun> page;
  const double empty = static_cast<double>(page_text({}, false).size());
  const double bytes = (1e6 * arguments.megabytes - empty) / static_cast<double>(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k)
    page.push_back(page_run(runs[k], arguments.runs[k], bytes));
  const std::string text = page_text(page, false);
  write_text_file(arguments.output, text, existing);
  fmt::print(stderr, "wrote {}: {:.1f} MB; open it in a browser\n", arguments.output,
             static_cast<double>(text.size()) * 1e-6);
  return 0;
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "view", "Write a run, or two to be compared, as one HTML page that plays in a browser");
  const auto arguments = std::make_shared<ViewArguments>();
  command->add_option("run", arguments->runs, "Trajectory file (RUN.h5), or two")
      ->required()
      ->expected(1, 2);
  command->add_option("-o,--output", arguments->output, "page [RUN.html]");
  command
      ->add_option("--size", arguments->megabytes,
                   "Largest size of the page in MB; larger runs are thinned [60]")
      ->check(positive_number(2000));
  command->add_flag("--force", arguments->force, "overwrite an existing page");
  command->footer("Example:  talus view wall.h5");
  command->callback([arguments, &action] { action = [arguments] { return view(*arguments); }; });
}

}  // namespace talus
