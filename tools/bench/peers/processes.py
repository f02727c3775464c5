# SPDX-License-Identifier: Apache-2.0
"""Programs that are stopped after so many processor seconds."""
import os
import resource
import subprocess


def processor_seconds(group):
    """Of the processes of a group."""
    total = 0
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:  # ended meanwhile
            continue
        if int(fields[2]) == group:
            total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def run_within(seconds, command, stop):
    """Runs a command and calls stop(process) once when it has used so many processor seconds; returns its exit code."""
    most = int(2 * seconds) + 60  # for a step that does not end, and for a process left behind when this one is killed

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))

    process = subprocess.Popen(command, start_new_session=True, preexec_fn=limit)
    asked = False
    try:
        while process.poll() is None:
            try:
                process.wait(0.5)
            except subprocess.TimeoutExpired:
                if not asked and processor_seconds(process.pid) > seconds:
                    stop(process)
                    asked = True
    finally:
        if process.poll() is None:
            process.kill()
    return process.returncode
