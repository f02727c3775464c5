// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/option_words.hpp"

#include <sstream>

namespace talus {

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

std::vector<const CLI::Option*> shown_options(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return !option->get_group().empty(); });
}

std::string option_names(const CLI::Option& option, std::string_view between) {
  std::string names;
  const auto add = [&](std::string_view dashes, const std::string& name) {
    if (!names.empty()) names += between;
    names.append(dashes).append(name);
  };
  for (const std::string& name : option.get_snames()) add("-", name);
  for (const std::string& name : option.get_lnames()) add("--", name);
  return names;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string value_word(const CLI::Option& option) {
  std::string word = option.get_type_name();
  const std::size_t list = word.find(":{");  // CLI11's name of a choice: TEXT:{csv,json}
  return list == std::string::npos ? word : word.substr(list + 1);
}

std::vector<std::string> choices(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string word = value_word(option);
  if (word.size() < 2 || word.front() != '{') return words;
  std::istringstream list(word.substr(1, word.size() - 2));
  for (std::string choice; std::getline(list, choice, ',');) words.push_back(choice);
  return words;
}

}  // namespace talus
