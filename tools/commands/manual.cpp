// SPDX-License-Identifier: Apache-2.0
// `talus manual`: the manual page, or the reference of the command line for the documentation,
// both made from the options as main.cpp declares them.
#include <fmt/core.h>

#include <sstream>
#include <vector>

#include "io/text/version.hpp"
#include "tools/commands/commands.hpp"
#include "tools/terminal/option_words.hpp"

namespace talus {

namespace {

// A manual page treats backslashes, and dots and quotes at the start of a line, as its own.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
    line_starts = c == '\n';
  }
  return escaped;
}

std::string usage(const CLI::App& command) {
  std::string text = "talus " + command.get_name();
  for (const CLI::Option* option : shown_options(command))
    if (option->get_positional())
      text += option->get_required() ? " " + option->get_name(true)
                                     : " [" + option->get_name(true) + "]";
  return text + " [OPTIONS]";
}

std::string option_head(const CLI::Option& option) {
  const std::string value = takes_value(option) ? " " + value_word(option) : "";
  return option_names(option, ", ") + value;
}

void print_manual_page(const CLI::App& app) {
  fmt::print(
      ".TH TALUS 1 \"\" \"talus {0}\" \"User commands\"\n.SH NAME\ntalus \\- {1}\n"
      ".SH SYNOPSIS\n.B talus\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n{2}\n",
      roff(version()), roff("simulate rigid bodies in frictional contact"),
      roff(app.get_description()));
  fmt::print(".PP\n.nf\n{}\n.fi\n.SH COMMANDS\n", roff(app.get_footer()));
  for (const CLI::App* command : shown_commands(app)) {
    fmt::print(".SS {}\n{}.\n", roff(usage(*command)), roff(command->get_description()));
    for (const CLI::Option* option : shown_options(*command))
      fmt::print(".TP\n.B {}\n{}\n",
                 roff(option->get_positional() ? option->get_name(true) : option_head(*option)),
                 roff(option->get_description()));
    fmt::print(".PP\n.nf\n{}\n.fi\n", roff(command->get_footer()));
  }
  fmt::print(".SH SEE ALSO\nThe scenes in {} and their README.\n", roff("share/talus/scenes"));
}

// A cell of a table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*' || c == '_') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

void print_markdown(const CLI::App& app) {
  fmt::print(
      "# Command line\n\nMade by `talus manual --markdown`. `talus COMMAND --help` prints "
      "the same.\n\n```text\n{}\n```\n",
      app.get_footer());
  for (const CLI::App* command : shown_commands(app)) {
    fmt::print("\n## talus {}\n\n{}.\n\n```text\n{}\n```\n\n| | |\n|---|---|\n",
               command->get_name(), command->get_description(), usage(*command));
    for (const CLI::Option* option : shown_options(*command))
      fmt::print("| `{}` | {} |\n",
                 option->get_positional() ? option->get_name(true) : option_head(*option),
                 cell(option->get_description()));
    fmt::print("\n```text\n{}\n```\n", command->get_footer());
  }
}

}  // namespace

void add_manual(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand("manual", "Print the manual page of this program");
  const auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "As a page of the documentation instead");
  command->footer("Example:  talus manual > talus.1 && man ./talus.1");
  command->callback([&app, &action, markdown] {
    action = [&app, markdown] {
      *markdown ? print_markdown(app) : print_manual_page(app);
      return 0;
    };
  });
}

}  // namespace talus
