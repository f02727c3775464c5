// SPDX-License-Identifier: Apache-2.0
// `talus view`: a run, or two side by side, as one page for a browser, or served while they go on.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <random>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/text/printable.hpp"
#include "io/trajectory/run_names.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/counted.hpp"
#include "tools/terminal/number_option.hpp"
#include "tools/view/http_server.hpp"
#include "tools/view/live_run.hpp"
#include "tools/view/page_run.hpp"

namespace talus {

namespace {

struct ViewArguments {
  std::vector<std::string> runs;
  std::string output;
  double megabytes = 60;
  int port = 8421;
  bool force = false, serve = false;
};

// The run of a page, with a word where it is thinned.
PageRun told_run(const TrajectoryReader& run, const std::string& file, double bytes) {
  const ThinnedRun thinned = page_run(run, file, bytes);
  if (thinned.shown.every > 1)
    fmt::print(stderr, "{}: one frame in {} of {} is shown, for a page below the size (--size)\n",
               file, thinned.shown.every, run.frames().size());
  return thinned.page;
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

double bytes_for_a_run(const ViewArguments& arguments) {
  const double empty = static_cast<double>(page_text({}, false).size());
  return (1e6 * arguments.megabytes - empty) / static_cast<double>(arguments.runs.size());
}

int write_page(ViewArguments arguments) {
  if (arguments.output.empty()) arguments.output = beside_run(arguments.runs[0], "html").string();
  const Existing existing = existing_files(arguments.force);
  refuse_existing(arguments.output, existing);
  std::vector<TrajectoryReader> runs;
  for (const std::string& file : arguments.runs) runs.emplace_back(file);
  require_one_dimension(runs, arguments.runs);

  std::vector<PageRun> page;
  for (std::size_t k = 0; k < runs.size(); ++k)
    page.push_back(told_run(runs[k], arguments.runs[k], bytes_for_a_run(arguments)));
  const std::string text = page_text(page, false);
  write_text_file(arguments.output, text, existing);
  fmt::print(stderr, "wrote {}: {:.1f} MB; open it in a browser\n", arguments.output,
             static_cast<double>(text.size()) * 1e-6);
  return 0;
}

// The first part of every address: other users of the machine reach the port, but do not know it.
std::string random_key() {
  std::random_device random;
  std::string key;
  for (int k = 0; k < 4; ++k) key += fmt::format("{:08x}", random());
  return key;
}

// The value of NAME in "name=value&NAME=value".
std::string_view value_of(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('='))
      return pair.substr(name.size() + 1);
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
  }
  return {};
}

template <class Number>
bool reads(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

HttpAnswer answer(int status, const char* type, std::string body) {
  return {status, type, std::make_shared<const std::string>(std::move(body))};
}

class LivePage {
 public:
  explicit LivePage(const ViewArguments& arguments) : bytes_(bytes_for_a_run(arguments)) {
    for (const std::string& run : arguments.runs) runs_.emplace_back(run);
  }

  // `path` is what follows the key.
  HttpAnswer operator()(std::string_view path) {
    if (path == "/") return page();
    if (path.starts_with("/news?")) return news(path.substr(6));
    return not_found();
  }

  static HttpAnswer not_found() { return answer(404, "text/plain; charset=utf-8", "Not Found\n"); }

 private:
  HttpAnswer page() try {
    std::vector<PageRun> runs;
    for (LiveRun& run : runs_) runs.push_back(run.page_run(bytes_));
    return answer(200, "text/html; charset=utf-8", page_text(runs, true));
  } catch (const InputError& error) {
    return answer(503, "text/plain; charset=utf-8", printable_lines(error.what()) + "\n");
  }

  HttpAnswer news(std::string_view query) {
    Seen seen;
    std::size_t run = 0;
    seen.identity = value_of(query, "identity");
    const bool sound = reads(value_of(query, "run"), run) && run < runs_.size() &&
                       reads(value_of(query, "version"), seen.version) &&
                       reads(value_of(query, "step"), seen.step) &&
                       reads(value_of(query, "every"), seen.shown.every) && seen.shown.every > 0 &&
                       seen.shown.every < 1u << 30 &&
                       reads(value_of(query, "share"), seen.shown.contact_share) &&
                       seen.shown.contact_share > 0 && seen.shown.contact_share <= 1;
    if (!sound) return not_found();
    return answer(200, "application/json", runs_[run].news(seen));
  }

  double bytes_;
  std::vector<LiveRun> runs_;
};

int serve(const ViewArguments& arguments) {
  std::vector<TrajectoryReader> runs;
  for (const std::string& file : arguments.runs) runs.emplace_back(file);
  require_one_dimension(runs, arguments.runs);
  runs.clear();

  HttpServer server(arguments.port);
  // There is nothing to finish or to remove: the program may end at any moment.
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { _exit(0); });
  const std::string key = "/" + random_key();
  fmt::print(stderr, "open http://127.0.0.1:{}{}/ in a browser; Ctrl-C ends\n", server.port(), key);
  LivePage page(arguments);
  server.serve([&](std::string_view target) {
    return target.starts_with(key) ? page(target.substr(key.size())) : LivePage::not_found();
  });
}

int view(const ViewArguments& arguments) {
  return arguments.serve ? serve(arguments) : write_page(arguments);
}

}  // namespace

void add_view(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "view", "Write a run, or two to be compared, as one HTML page that plays in a browser");
  const auto arguments = std::make_shared<ViewArguments>();
  command->add_option("run", arguments->runs, "Trajectory file (RUN.h5), or two")
      ->required()
      ->expected(1, 2);
  CLI::Option* const output =
      command->add_option("-o,--output", arguments->output, "page [RUN.html]");
  command
      ->add_option("--size", arguments->megabytes,
                   "Largest size of the page in MB; larger runs are thinned [60]")
      ->check(positive_number(2000));
  CLI::Option* const force =
      command->add_flag("--force", arguments->force, "overwrite an existing page");
  CLI::Option* const serve =
      command
          ->add_flag(
              "--serve", arguments->serve,
              "Write no page: serve one to browsers on this machine, which follows runs that "
              "are still going on")
          ->excludes(output)
          ->excludes(force);
  command
      ->add_option("--port", arguments->port,
                   "with --serve: port on 127.0.0.1, 0 for any that is free [8421]")
      ->check(whole_number(0, 65535))
      ->needs(serve);
  command->footer(
      "With --serve it goes on until Ctrl-C.\n"
      "Example:  talus view wall.h5");
  command->callback([arguments, &action] { action = [arguments] { return view(*arguments); }; });
}

}  // namespace talus
