// SPDX-License-Identifier: Apache-2.0
// The subcommands of `talus`, one file each. Every add_* declares its options and, when the user
// chose it, sets `action`; main runs the action and returns its exit code:
// 0 done, 1 run-time failure, 2 bad usage or input, 3 check failed or tolerance not reached.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace talus {

using Action = std::function<int()>;

void add_run(CLI::App& app, std::string command_line, Action& action);
void add_info(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_solve(CLI::App& app, Action& action);
void add_analyze(CLI::App& app, Action& action);
void add_limit(CLI::App& app, Action& action);
void add_scenes(CLI::App& app, Action& action);
void add_new(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_views(CLI::App& app, Action& action);
void add_snapshot(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_batch(CLI::App& app, Action& action);
void add_uncertainty(CLI::App& app, Action& action);
void add_picture(CLI::App& app, Action& action);
void add_video(CLI::App& app, Action& action);
void add_manual(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

}  // namespace talus
