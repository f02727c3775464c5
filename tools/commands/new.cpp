// SPDX-License-Identifier: Apache-2.0
// `talus new`: a commented scene to start from, on standard output.
#include <fmt/core.h>

#include <algorithm>

#include "io/text/input_error.hpp"
#include "io/text/text_file.hpp"
#include "tools/commands/bundled.hpp"
#include "tools/commands/commands.hpp"

namespace talus {

namespace {

int print_template(const std::string& name) {
  const std::vector<BundledScene> templates = scenes_in(templates_folder());
  if (name.empty()) {
    for (const BundledScene& scene : templates) fmt::print("{:<10}{}\n", scene.name, scene.title);
    return 0;
  }
  const auto chosen = std::find_if(templates.begin(), templates.end(),
                                   [&](const BundledScene& t) { return t.name == name; });
  if (chosen == templates.end()) {
    std::string names;
    for (const BundledScene& scene : templates) {
      names += (names.empty() ? "" : ", ") + scene.name;
    }
    throw InputError(fmt::format("talus new: no template '{}' (there are: {})", name, names));
  }
  fmt::print("{}", read_text_file(chosen->path));
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Action& action) {
  CLI::App* const command =
      app.add_subcommand("new", "Print a commented scene to start from: talus new ball > my.toml");
  const auto name = std::make_shared<std::string>();
  command->add_option("TEMPLATE", *name, "Which one; without it, a list of them");
  command->footer("Example:  talus new wall > mine.toml && talus run mine.toml");
  command->callback([&action, name] { action = [name] { return print_template(*name); }; });
}

}  // namespace talus
