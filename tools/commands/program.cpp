// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/program.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "io/text/input_error.hpp"
#include "io/text/printable.hpp"
#include "io/text/spelling.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/version_text.hpp"

namespace talus {

namespace {

[[noreturn]] void refuse(const std::string& kind, const std::string& word,
                         const std::vector<std::string>& known, const std::string& help) {
  const std::string_view meant = nearest(word, known);
  throw InputError(
      fmt::format("talus: unknown {} '{}' ({})", kind, word,
                  meant.empty() ? "see " + help : fmt::format("did you mean '{}'?", meant)));
}

// For a command line that could not be parsed: CLI11 reports a mistyped command or option as an
// unexpected argument. This suggests the right word.
void refuse_unknown_words(const CLI::App& app, std::span<const char* const> words) {
  if (words.size() < 2 || words[1][0] == '-') return;
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::string command = words[1];
  if (std::find(commands.begin(), commands.end(), command) == commands.end())
    refuse("command", command, commands, "talus --help");

  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_subcommand(command)->get_options())
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  for (const std::string_view word : words.subspan(2)) {
    if (word == "--") return;  // only file names follow
    if (!word.starts_with("--")) continue;
    const std::string option(word.substr(0, word.find('=')));
    if (std::find(options.begin(), options.end(), option) == options.end())
      refuse("option", option, options, fmt::format("talus {} --help", command));
  }
}

// Prints the final error message. It must not throw, even if the disk of stderr is lost or memory
// is exhausted.
void complain(const char* who, const char* what) { std::fprintf(stderr, "%s%s\n", who, what); }

void finish_output() {
  if (std::ferror(stdout) != 0 || std::fflush(stdout) != 0)
    throw std::runtime_error(fmt::format("standard output: {}", std::strerror(errno)));
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  CLI::App app{"Talus: rigid bodies in frictional contact, every step certified.", "talus"};
  app.require_subcommand(1);
  app.footer(
      "First run:      talus run scenes/wall.toml\n"
      "Look at it:     talus view wall.h5, then open wall.html in a browser\n"
      "In ParaView:    open wall.vtkhdf (5.12 and later) or wall.xmf2 (5.11)\n"
      "Judge it:       talus check wall.h5\n"
      "Exit codes:     0 done, 1 run-time failure, 2 bad usage or input, 3 check failed or "
      "tolerance not reached");
  app.set_version_flag("--version", version_text(),
                       "Print the version, the commit and the libraries, and exit");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("talus: {} (see talus --help)\n", printable(error.what()));
  });

  std::string command_line = "talus";
  for (int i = 1; i < argc; ++i) command_line += fmt::format(" {}", argv[i]);
  Action action;
  add_run(app, command_line, action);
  add_batch(app, action);
  add_uncertainty(app, action);
  add_info(app, action);
  add_check(app, action);
  add_views(app, action);
  add_view(app, action);
  add_snapshot(app, action);
  add_picture(app, action);
  add_video(app, action);
  add_export(app, action);
  add_scenes(app, action);
  add_new(app, action);
  add_solve(app, action);
  add_analyze(app, action);
  add_limit(app, action);
  add_manual(app, action);
  add_completion(app, action);
  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      const bool asked_for = error.get_exit_code() == 0;  // --help, --version
      if (!asked_for) refuse_unknown_words(app, {argv, argv + argc});
      app.exit(error);
      finish_output();
      return asked_for ? 0 : 2;
    }
    const int code = action();
    finish_output();
    return code;
  } catch (const InputError& error) {
    complain("", printable_lines(error.what()).c_str());
    return 2;
  } catch (const std::bad_alloc&) {
    complain("talus: ", "out of memory");
    return 1;
  } catch (const std::system_error& error) {
    // fmt writes when the buffer of stdout is full, so a long output fails before finish_output().
    if (std::ferror(stdout) != 0)
      complain("talus: standard output: ", std::strerror(error.code().value()));
    else
      complain("talus: ", printable_lines(error.what()).c_str());
    return 1;
  } catch (const std::exception& error) {
    complain("talus: ", printable_lines(error.what()).c_str());
    return 1;
  }
}

}  // namespace talus
