// SPDX-License-Identifier: Apache-2.0
// `talus export`: a trajectory as plain tables.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/csv.hpp"
#include "tools/commands/commands.hpp"

namespace talus {

namespace {

const std::map<std::string, CsvTable> tables = {
    {"series", CsvTable::series}, {"bodies", CsvTable::bodies}, {"contacts", CsvTable::contacts}};
constexpr std::string_view measures_prefix = "measures/";

struct ExportArguments {
  std::string run;
  std::string format = "csv";
  std::string table = "series";
  std::string output;
  bool force = false;
};

void write_table(const TrajectoryReader& run, const std::string& table, std::FILE* out) {
  if (!table.starts_with(measures_prefix)) return write_csv(run, tables.at(table), out);
  const std::string name = table.substr(measures_prefix.size());
  std::string known;
  for (const MeasureSeries& measure : run.measures()) {
    if (measure.name == name) return write_csv(measure, out);
    known += fmt::format("{}'{}'", known.empty() ? "" : ", ", measure.name);
  }
  throw InputError(known.empty() ? fmt::format("--what {}: the run has no measures", table)
                                 : fmt::format("--what {}: the run has measures {}", table, known));
}

// Returns 0, or the errno of the failed write.
int write_whole_table(const TrajectoryReader& run, const std::string& table, std::FILE* out) {
  try {
    write_table(run, table, out);
  } catch (const CsvWriteError& error) {
    return error.code().value();
  }
  return std::fflush(out) != 0 ? errno : 0;
}

int export_tables(const ExportArguments& arguments) {
  const TrajectoryReader run(arguments.run);
  const std::string& output = arguments.output;
  if (output.empty() || output == "-") {
    const int error = write_whole_table(run, arguments.table, stdout);
    if (error != 0)
      throw std::runtime_error(fmt::format("standard output: {}", std::strerror(error)));
    return 0;
  }
  const Existing existing = existing_files(arguments.force);
  refuse_existing(output, existing);

  NewFile whole(output);
  std::FILE* const file = std::fopen(whole.unfinished().c_str(), "w");
  if (!file) throw InputError(fmt::format("{}: cannot write: {}", output, std::strerror(errno)));
  int error = 0;
  try {
    error = write_whole_table(run, arguments.table, file);
  } catch (...) {
    std::fclose(file);
    throw;
  }
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error != 0)
    throw std::runtime_error(fmt::format("{}: cannot write: {}", output, std::strerror(error)));
  whole.put_in_place(existing);
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* const command = app.add_subcommand(
      "export", "Write series, bodies, contacts or a measure of a run as a plain table");
  const auto arguments = std::make_shared<ExportArguments>();
  command->add_option("run", arguments->run, "Trajectory file (RUN.h5)")->required();
  command->add_option("--to", arguments->format, "Format")
      ->check(CLI::IsMember({"csv"}))
      ->capture_default_str();
  command
      ->add_option("--what", arguments->table,
                   "series (a line per step), bodies, contacts or measures/NAME")
      ->check([](const std::string& table) {
        return tables.contains(table) || table.starts_with(measures_prefix)
                   ? std::string()
                   : table + " is not series, bodies, contacts or measures/NAME";
      })
      ->capture_default_str();
  command->add_option("-o,--output", arguments->output, "File to write; standard output if absent");
  command->add_flag("--force", arguments->force, "Replace an existing file");
  command->footer("Example:  talus export wall.h5 --what contacts -o contacts.csv");
  command->callback(
      [arguments, &action] { action = [arguments] { return export_tables(*arguments); }; });
}

}  // namespace talus
