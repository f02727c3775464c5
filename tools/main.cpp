// The `talus` program: reads the command line, runs one subcommand, turns failures into exit codes.
#include <fmt/core.h>

#include <new>

#include "io/input_error.hpp"
#include "tools/commands.hpp"

int main(int argc, char** argv) {
  CLI::App app{"Talus: rigid bodies in frictional contact, every step certified.", "talus"};
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("talus: {} (see talus --help)\n", error.what());
  });

  talus::Action action;
  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const talus::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "talus: out of memory\n");
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "talus: {}\n", error.what());
    return 1;
  }
}
