#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Contact problems in FCLib files: Talus, and Siconos beside it, to a table and a profile.

    tools/bench/fclib.py FILE… [--solvers auto newton …] [--tolerances 1e-4 1e-8 1e-12]
                         [--siconos] [--table fclib.csv] [--profile fclib.svg]

Needs python3-h5py and python3-scipy, and python3-siconos for --siconos. Both programs run on one
thread from zero percussions, and their times are processor seconds of the solve alone, the least of
a few repetitions, of many where they are short. Both are judged here, from the percussions they
return, by the same two errors:

    unit-free   √Σ (‖P_α − proj_K(P_α − ρ_α ũ_α)‖/ρ_α)² / ‖q‖,   ρ_α = 3/(2 tr W_αα) (2/(2 tr) in 2D)
    Siconos     √Σ ‖P_α − proj_K(P_α − ũ_α)‖² / ‖q‖

A solve has reached a tolerance when both are below it; Siconos is forgiven ten times as much in the
unit-free one, which it does not look at. Rolling problems are left out.
"""
import argparse
import csv
import json
import math
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import h5py
import numpy as np
import scipy.sparse as sparse
import scipy.sparse.linalg

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ["problem", "dimension", "contacts", "program", "solver", "tolerance", "reached", "cpu_s",
           "iterations", "unit_free", "siconos_form", "end"]


# ---------------------------------------------------------------------------------- problems
def matrix(group):
    rows, columns, kind = (int(group[k][0]) for k in ("m", "n", "nz"))
    p, i, x = (group[k][()] for k in ("p", "i", "x"))
    if kind >= 0:
        return sparse.coo_matrix((x[:kind], (i[:kind], p[:kind])), (rows, columns)).tocsr()
    if kind == -1:
        return sparse.csc_matrix((x[:p[columns]], i[:p[columns]], p), (rows, columns)).tocsr()
    return sparse.csr_matrix((x[:p[rows]], i[:p[rows]], p), (rows, columns))


class Problem:
    """u = W P + q with friction mu; a global file is condensed."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        with h5py.File(path, "r") as file:
            if "fclib_local" in file:
                group = file["fclib_local"]
                self.W, self.q = matrix(group["W"]), group["vectors/q"][()]
            else:
                group = file["fclib_global"]
                M, H = matrix(group["M"]).tocsc(), matrix(group["H"]).tocsc()
                factor = scipy.sparse.linalg.splu(M)
                self.W = sparse.csr_matrix(H.T @ factor.solve(H.toarray()))
                self.q = H.T @ factor.solve(group["vectors/f"][()]) + group["vectors/w"][()]
            self.mu = group["vectors/mu"][()]
            self.dimension = int(group["spacedim"][0])
        self.contacts = len(self.mu)
        trace = self.W.diagonal().reshape(self.contacts, self.dimension).sum(axis=1)
        self.rho = self.dimension / (2 * trace)

    def residual(self, P, rho):
        """‖P − proj_K(P − ρ ũ)‖ of every contact."""
        P = P.reshape(self.contacts, self.dimension)
        u = (self.W @ P.ravel() + self.q).reshape(P.shape)
        u[:, 0] += self.mu * np.linalg.norm(u[:, 1:], axis=1)
        x = P - np.reshape(rho, (-1, 1)) * u
        normal, tangent = x[:, 0], np.linalg.norm(x[:, 1:], axis=1)
        y = x.copy()
        y[self.mu * tangent <= -normal] = 0
        on = (self.mu * tangent > -normal) & (tangent > self.mu * normal)
        y[on, 0] = (normal[on] + self.mu[on] * tangent[on]) / (1 + self.mu[on] ** 2)
        y[on, 1:] = (self.mu[on] * y[on, 0] / tangent[on])[:, None] * x[on, 1:]
        return np.linalg.norm(P - y, axis=1)

    def errors(self, P):
        if P is None or not np.all(np.isfinite(P)):
            return math.inf, math.inf
        size = np.linalg.norm(self.q)
        size = size if size > np.finfo(float).eps else 1.0
        return (np.linalg.norm(self.residual(P, self.rho) / self.rho) / size,
                np.linalg.norm(self.residual(P, np.ones(self.contacts))) / size)


def enough(repetitions, first):
    """Microseconds are measured only by many tries: as many as make 20 ms, and 300 at most."""
    return max(repetitions, min(300, int(0.02 / max(first, 1e-6))))


# ---------------------------------------------------------------------------------- Talus
def talus(program, problem, solver, tolerance, limit, repetitions):
    first, P = talus_once(program, problem, solver, tolerance, limit, 1)
    if P is None or first["cpu_s"] > 5:
        return first, P
    return talus_once(program, problem, solver, tolerance, limit, enough(repetitions, first["cpu_s"]))


def talus_once(program, problem, solver, tolerance, limit, repetitions):
    with tempfile.TemporaryDirectory() as folder:
        answer = os.path.join(folder, "solved.hdf5")
        run = subprocess.run(
            [program, "solve", problem.path, "--solver", solver, "--tol", repr(tolerance), "--json",
             "--time-limit", str(limit), "--repeat", str(repetitions), "--write-solution", answer],
            capture_output=True, text=True)
        if run.returncode not in (0, 3):
            return dict(end=run.stderr.strip().splitlines()[-1] if run.stderr else "failed"), None
        report = json.loads(run.stdout.splitlines()[-1])
        with h5py.File(answer, "r") as file:
            P = file["solution/r"][()]
    return dict(cpu_s=report["cpu_s"], iterations=report["iterations"], end=report["method"]), P


# ---------------------------------------------------------------------------------- Siconos
def siconos_solvers(dimension):
    import siconos.numerics as sn
    if dimension == 2:
        return {"2D-NSGS": lambda: sn.SolverOptions(sn.SICONOS_FRICTION_2D_NSGS)}
    constant = lambda name: getattr(sn, "SICONOS_FRICTION_3D_" + name)

    def gauss_seidel(local):
        def make():
            options = sn.SolverOptions(constant("NSGS"))
            sn.solver_options_update_internal(options, 0, constant("ONECONTACT_" + local))
            # The full error every ten sweeps; its default test takes many times the sweeps.
            options.iparam[constant("IPARAM_ERROR_EVALUATION")] = 0
            options.iparam[constant("IPARAM_ERROR_EVALUATION_FREQUENCY")] = 10
            return options
        return make

    def newton(name, formulation=None, hybrid=0):
        def make():
            options = sn.SolverOptions(constant(name))
            if formulation is not None:
                options.iparam[sn.SICONOS_FRICTION_3D_NSN_FORMULATION] = formulation
            options.iparam[sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = hybrid
            return options
        return make

    def admm(strategy):
        def make():
            options = sn.SolverOptions(constant("ADMM"))
            for key, value in (("RHO_STRATEGY", strategy), ("INITIAL_RHO", 1), ("ACCELERATION", 2),
                               ("SYMMETRY", 1), ("SPARSE_STORAGE", 1)):
                options.iparam[constant("ADMM_IPARAM_" + key)] = value
            return options
        return make

    return {
        "NSGS-AC": gauss_seidel("NSN"),
        "NSGS-AC-GP": gauss_seidel("NSN_GP"),
        "NSGS-AC-GP-HYB": gauss_seidel("NSN_GP_HYBRID"),
        "NSGS-PLI": gauss_seidel("ProjectionOnConeWithLocalIteration"),
        "NSGS-QUARTIC": gauss_seidel("QUARTIC"),
        "ADMM": lambda: sn.SolverOptions(constant("ADMM")),
        "ADMM-RB": admm(2),
        "ADMM-SRB": admm(3),
        "NSN-AC": newton("NSN_AC"),
        "NSN-AC-HYB": newton("NSN_AC", hybrid=3),
        "NSN-JM": newton("NSN_AC", formulation=3),
        "NSN-JM-HYB": newton("NSN_AC", formulation=3, hybrid=3),
        "NSN-FB": newton("NSN_FB"),
        "PROX-NSN": lambda: sn.SolverOptions(constant("PROX")),
        "ACLMFP": lambda: sn.SolverOptions(constant("ACLMFP")),
    }


def siconos_problem(problem):
    """Through Siconos' text format, with blocks, as it stores a file of its own."""
    import siconos.numerics as sn
    d, n = problem.dimension, problem.contacts
    W = sparse.bsr_matrix(problem.W, blocksize=(d, d))
    W.sort_indices()
    ends = " ".join(str(d * (k + 1)) for k in range(n))
    lines = [d, n, 1, d * n, d * n, len(W.indices), n, n, ends, ends, n + 1, len(W.indices),
             " ".join(map(str, W.indptr)), " ".join(map(str, W.indices))]
    for k, block in enumerate(W.data):
        lines.append(k)
        lines += ["%.17e" % value for value in block.ravel(order="F")]
    lines += [" ".join("%.17e" % value for value in problem.q), " ".join("%.17e" % value for value in problem.mu)]
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
        file.write("\n".join(map(str, lines)) + "\n")
        file.flush()
        return sn.frictionContact_new_from_filename(file.name)


def siconos_child(pipe, problem, solver, tolerance, most, repetitions):
    import siconos.numerics as sn
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    stored = siconos_problem(problem)
    least, done = math.inf, 0
    while done < repetitions:
        options = siconos_solvers(problem.dimension)[solver]()
        options.dparam[sn.SICONOS_DPARAM_TOL] = tolerance
        options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = most
        P, u = np.zeros(len(problem.q)), np.zeros(len(problem.q))
        start = time.process_time()
        (sn.fc2d_driver if problem.dimension == 2 else sn.fc3d_driver)(stored, P, u, options)
        least = min(least, time.process_time() - start)
        done += 1
        if done == 1:
            repetitions = enough(repetitions, least)
    pipe.send((least, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), P, u))


def in_child(work, limit, *arguments):
    """None when it dies or takes longer than `limit` processor seconds."""
    here, there = multiprocessing.Pipe(False)
    child = multiprocessing.get_context("fork").Process(target=work, args=(there, *arguments))
    child.start()
    there.close()
    used, answer = 0.0, None
    try:
        while used < limit and answer is None:
            if here.poll(0.02):
                answer = here.recv()
            else:
                with open(f"/proc/{child.pid}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (EOFError, OSError):
        pass
    child.kill()
    child.join()
    return answer


class Siconos:
    """Siconos divides by max(‖q‖, ‖P‖, ‖u‖): its tolerance is scaled so that all are asked the same."""

    def __init__(self, problem, limit):
        self.problem, self.limit, self.scale = problem, limit, 1.0
        size = np.linalg.norm(problem.q)
        for solver in ("2D-NSGS",) if problem.dimension == 2 else ("NSGS-AC-GP-HYB", "ADMM-RB", "NSN-AC"):
            answer = in_child(siconos_child, 10, problem, solver, 1e-6, 5000, 1)
            if answer and np.all(np.isfinite(answer[2])) and size > np.finfo(float).eps:
                if problem.errors(answer[2])[1] < 1e-2:
                    self.scale = size / max(size, np.linalg.norm(answer[2]), np.linalg.norm(answer[3]))
                    break

    def solve(self, solver, tolerance, repetitions):
        # Most of its methods end only by their count of iterations: a short run tells the pace.
        arguments = self.problem, solver, tolerance * self.scale
        most = 300 if not solver.startswith("NSN") else 500
        answer = in_child(siconos_child, self.limit, *arguments, most, repetitions)
        if answer and answer[1] >= most - 5 and most == 300:
            pace = max(answer[0], 1e-4) / answer[1]
            answer = in_child(siconos_child, 1.6 * self.limit, *arguments,
                              min(int(0.9 * self.limit / pace), 2000000), 1)
        if answer is None:
            return dict(end="crashed or over its time"), None
        return dict(cpu_s=answer[0], iterations=answer[1], end="done"), answer[2]


# ---------------------------------------------------------------------------------- table
def judged(problem, program, solver, tolerance, row, P, forgiven):
    unit_free, siconos_form = problem.errors(P)
    reached = unit_free <= forgiven * tolerance and siconos_form <= 1.05 * tolerance
    return dict(problem=problem.name, dimension=problem.dimension, contacts=problem.contacts, program=program,
                solver=solver, tolerance="%.0e" % tolerance, reached=int(reached), unit_free="%.2e" % unit_free,
                siconos_form="%.2e" % siconos_form,
                **{**row, "cpu_s": "%.4e" % row["cpu_s"] if "cpu_s" in row else ""})


def seconds(row):
    return float(row["cpu_s"]) if row["reached"] else math.inf


def summary(rows, tolerances):
    for tolerance in ("%.0e" % t for t in tolerances):
        these = [r for r in rows if r["tolerance"] == tolerance]
        best = {}
        for row in these:
            key = row["problem"], row["program"]
            if key not in best or seconds(row) < seconds(best[key]):
                best[key] = row
        ours = {r["problem"]: r for r in these if r["program"] == "talus" and r["solver"] == "auto"}
        print(f"\ntolerance {tolerance}: auto reaches {sum(r['reached'] for r in ours.values())} of {len(ours)}")
        ratios = []
        for name, row in sorted(ours.items(), key=lambda item: item[1]["contacts"]):
            peer = best.get((name, "siconos"))
            line = f"  {name:45} {row['contacts']:5} {row['unit_free']} {row['siconos_form']} "
            line += f"{1e3 * float(row['cpu_s'] or 'inf'):10.3f} ms {'' if row['reached'] else 'NOT REACHED '}{row['end']}"
            if peer:
                line += f" | Siconos {1e3 * seconds(peer):.3f} ms {peer['solver'] if peer['reached'] else '(none)'}"
                if peer["reached"] and row["reached"]:
                    ratio = seconds(peer) / seconds(row)
                    line += f", ratio {ratio:.2f}"
                    if seconds(peer) > 1e-3:
                        ratios.append(ratio)
            print(line)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            print(f"  {len(ratios)} problems on which Siconos needs more than 1 ms: "
                  f"geometric mean of its best time over ours {mean:.2f}, least {min(ratios):.2f}")


# ---------------------------------------------------------------------------------- profile
def profile(rows, tolerances, path):
    """Dolan and Moré 2002: the share of problems solved within τ times the best time of all."""
    width, height, left, bottom, decades = 420, 300, 50, 40, 4
    colours = ["#1b6ca8", "#d1495b", "#66a182", "#edae49", "#8d5a97", "#2e4057", "#b56576", "#5f8d4e", "#9a8c98",
               "#e07a5f", "#3d405b", "#81b29a", "#f2cc8f", "#6d597a", "#355070", "#588157"]
    parts = []
    for column, tolerance in enumerate("%.0e" % t for t in tolerances):
        these = [r for r in rows if r["tolerance"] == tolerance]
        problems = sorted({r["problem"] for r in these})
        least = {p: min((seconds(r) for r in these if r["problem"] == p), default=math.inf) for p in problems}
        solvers = sorted({(r["program"] != "talus", r["solver"] != "auto", r["program"], r["solver"]) for r in these})
        x0, y0 = column * (width + 40) + left, height - bottom
        w, h = width - left - 150, height - bottom - 30
        parts.append(f'<text x="{x0}" y="18" font-weight="bold">tolerance {tolerance}</text>')
        parts.append(f'<path d="M{x0} {y0 - h}V{y0}H{x0 + w}" fill="none" stroke="#444"/>')
        for k in range(decades + 1):
            parts.append(f'<text x="{x0 + w * k / decades}" y="{y0 + 15}" text-anchor="middle">10{"⁰¹²³⁴"[k]}</text>')
        for share in (0, 0.5, 1):
            parts.append(f'<text x="{x0 - 6}" y="{y0 - h * share + 4}" text-anchor="end">{share}</text>')
        parts.append(f'<text x="{x0 + w / 2}" y="{y0 + 32}" text-anchor="middle">time / best time</text>')
        for k, (_, _, program, solver) in enumerate(solvers):
            ratios = sorted(seconds(r) / least[r["problem"]] for r in these
                            if (r["program"], r["solver"]) == (program, solver) and r["reached"])
            line, done = f"M{x0} {y0}", 0
            for ratio in ratios:
                x = x0 + w * min(math.log10(max(ratio, 1)) / decades, 1)
                line += f"H{x:.1f}"
                done += 1
                line += f"V{y0 - h * done / len(problems):.1f}"
            line += f"H{x0 + w}"
            style = 'stroke-width="3"' if (program, solver) == ("talus", "auto") else 'stroke-width="1.2"'
            colour = colours[k % len(colours)]
            parts.append(f'<path d="{line}" fill="none" stroke="{colour}" {style}/>')
            parts.append(f'<text x="{x0 + w + 8}" y="{y0 - h + 12 * k}" fill="{colour}">{program} {solver}</text>')
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{len(tolerances) * (width + 40)}" '
                   f'height="{height}" font-family="sans-serif" font-size="11">'
                   '<rect width="100%" height="100%" fill="white"/>' + "".join(parts) + "</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--talus", default=os.path.join(ROOT, "build", "talus"), help="program to measure")
    parser.add_argument("--solvers", nargs="*", default=["auto"], help="methods of Talus")
    parser.add_argument("--tolerances", nargs="+", type=float, default=[1e-4, 1e-8])
    parser.add_argument("--limit", type=float, default=60, help="processor seconds a solve may take")
    parser.add_argument("--siconos-limit", type=float, default=10, help="the same for each method of Siconos")
    parser.add_argument("--repeat", type=int, default=5, help="repetitions, of which the fastest counts")
    parser.add_argument("--siconos", action="store_true", help="run every method of Siconos as well")
    parser.add_argument("--table", default="fclib.csv")
    parser.add_argument("--profile", default="fclib.svg")
    arguments = parser.parse_args()
    rows = []
    with open(arguments.table, "w", newline="") as table:
        writer = csv.DictWriter(table, COLUMNS)
        writer.writeheader()

        def keep(row):
            rows.append(row)
            writer.writerow(row)
            table.flush()
            return row["reached"]

        for path in arguments.files:
            with h5py.File(path, "r") as file:
                if "fclib_global_rolling" in file or "fclib_rolling" in file:
                    continue
            problem = Problem(path)
            for solver in arguments.solvers:
                for tolerance in sorted(arguments.tolerances, reverse=True):
                    row, P = talus(arguments.talus, problem, solver, tolerance, arguments.limit, arguments.repeat)
                    keep(judged(problem, "talus", solver, tolerance, row, P, 1.0))
            if not arguments.siconos:
                continue
            peer = Siconos(problem, arguments.siconos_limit)
            for solver in siconos_solvers(problem.dimension):
                for tolerance in sorted(arguments.tolerances, reverse=True):
                    row, P = peer.solve(solver, tolerance, arguments.repeat)
                    if not keep(judged(problem, "siconos", solver, tolerance, row, P, 10.0)):
                        break
    summary(rows, arguments.tolerances)
    profile(rows, arguments.tolerances, arguments.profile)
    print(f"\nload average {os.getloadavg()[0]:.1f}; wrote {arguments.table} and {arguments.profile}")


if __name__ == "__main__":
    sys.exit(main())
