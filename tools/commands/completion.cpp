// SPDX-License-Identifier: Apache-2.0
// `talus completion`: a script by which a shell completes the words of a command line, made from
// the options as main.cpp declares them.
#include <fmt/core.h>

#include <map>

#include "tools/commands/commands.hpp"
#include "tools/terminal/option_words.hpp"

namespace talus {

namespace {

// Endings of the files that a positional argument takes.
std::string endings(const CLI::App& command) {
  static const std::map<std::string, std::string> of = {
      {"SCENE", "toml"}, {"STUDY", "toml"},     {"run", "h5"},
      {"RUN", "h5"},     {"source", "toml|h5"}, {"problem", "hdf5|h5"}};
  for (const CLI::Option* option : shown_options(command))
    if (const auto known = of.find(option->get_name(true));
        option->get_positional() && known != of.end())
      return known->second;
  return "";
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? "" : between).append(word);
  return text;
}

// ---- bash

std::string bash_command(const CLI::App& command) {
  std::vector<std::string> options;
  std::string values, positional;
  for (const CLI::Option* option : shown_options(command)) {
    if (option->get_positional()) {
      const std::vector<std::string> words = choices(*option);
      if (!words.empty()) positional = "choices='" + joined(words, " ") + "' ";
      continue;
    }
    options.push_back(option_names(*option, " "));
    if (!takes_value(*option)) continue;
    const std::vector<std::string> words = choices(*option);
    values += fmt::format("        {}) {} ;;\n", option_names(*option, "|"),
                          words.empty() ? "files='*'" : "words='" + joined(words, " ") + "'");
  }
  const std::string ending = endings(command);
  return fmt::format(
      "    {}) words='{}' files='{}'\n      case $previous in\n{}        *) {};;\n      esac ;;\n",
      command.get_name(), joined(options, " "), ending.empty() ? "*" : "*.@(" + ending + ")",
      values, positional);
}

void print_bash(const CLI::App& app) {
  std::vector<std::string> names;
  std::string cases;
  for (const CLI::App* command : shown_commands(app)) {
    names.push_back(command->get_name());
    cases += bash_command(*command);
  }
  fmt::print(R"(# bash completion for talus, made by `talus completion bash`
_talus() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words= files= choices= name
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  if [[ $word == -* || $words != *-* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$word"))
    return
  fi
  compopt -o filenames 2>/dev/null
  shopt -q extglob || {{ shopt -s extglob; trap 'shopt -u extglob; trap - RETURN' RETURN; }}
  while IFS= read -r name; do
    [[ -d $name || $name == $files ]] && COMPREPLY+=("$name")
  done < <(compgen -f -- "$word")
}}
complete -F _talus talus
)",
             joined(names, " "), cases);
}

// ---- zsh

std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    if (c == '\'')
      escaped += "'\\''";
    else
      escaped += c;
  }
  return escaped;
}

std::string zsh_value(const CLI::Option& option) {
  const std::vector<std::string> words = choices(option);
  return words.empty() ? ":value:_files" : fmt::format(":value:({})", joined(words, " "));
}

std::string zsh_command(const CLI::App& command) {
  std::string specs;
  for (const CLI::Option* option : shown_options(command)) {
    if (option->get_positional()) continue;
    const std::string names = option_names(*option, ",");
    const bool two = names.find(',') != std::string::npos;
    specs += fmt::format(
        " \\\n        {}'[{}]{}'",
        two ? fmt::format("'({})'{{{}}}", option_names(*option, " "), names) : "'*'" + names,
        zsh_text(option->get_description()), takes_value(*option) ? zsh_value(*option) : "");
  }
  const std::string ending = endings(command);
  const std::string filter = ending.empty() ? "" : fmt::format(" -g \"*.({})\"", ending);
  return fmt::format("    {})\n      _arguments{} \\\n        '*:file:_files{}' ;;\n",
                     command.get_name(), specs, filter);
}

void print_zsh(const CLI::App& app) {
  std::string names, cases;
  for (const CLI::App* command : shown_commands(app)) {
    names +=
        fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
    cases += zsh_command(*command);
  }
  fmt::print(R"(#compdef talus
# zsh completion for talus, made by `talus completion zsh`
compdef _talus talus
_talus() {{
  local -a commands=(
{}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{}  esac
}}
[[ $funcstack[1] != _talus ]] || _talus "$@"
)",
             names, cases);
}

}  // namespace

void add_completion(CLI::App& app, Action& action) {
  CLI::App* const command =
      app.add_subcommand("completion", "Print a script that completes commands in a shell");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  command->footer(
      "An installed program has these scripts already. To use one at once:\n"
      "Example:  talus completion bash > talus.bash && source ./talus.bash");
  command->callback([&app, &action, shell] {
    action = [&app, shell] {
      *shell == "bash" ? print_bash(app) : print_zsh(app);
      return 0;
    };
  });
}

}  // namespace talus
