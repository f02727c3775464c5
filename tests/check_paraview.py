# SPDX-License-Identifier: Apache-2.0
"""Does ParaView show what a trajectory holds? Two halves, because h5py and ParaView cannot always share a process:

    python3 check_paraview.py RUN.h5 > EXPECTED.json     what the file holds, by h5py
    pvbatch check_paraview.py EXPECTED.json [FOLDER]     what ParaView sees of it; pictures into FOLDER

The second opens the run as a user would, by the name of its companion, and compares times, and the points, cells, bounds and
ranges of arrays of every block at the first, a middle and the last frame. The pictures are those of the state that `talus views
--state` writes. tools/scripts/check-paraview does both, with a display of its own.
"""
import json
import os
import sys

TOLERANCE = 2e-6    # of the size of things: coordinates of the mesh are stored in single precision


# ------------------------------------------------------------------ what the file holds
def expectations(path):
    os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
    import h5py
    import numpy as np

    def spread(values):
        return [float(values.min()), float(values.max())] if values.size else None

    with h5py.File(path, "r") as f:
        F = len(f["frames/time"])
        col = {n: f["frames/" + n][:F] for n in f["frames"]}
        order = [v for v in ("bodies", "mesh", "walls", "contacts", "chains") if v in f["views"]]
        speed = np.linalg.norm(f["state/velocity"][:int(col["body_row"][-1] + col["body_count"][-1])], axis=1)
        out = {"file": os.path.abspath(path), "dim": int(f.attrs["dim"]), "times": [float(t) for t in col["time"]],
               "shown": order, "speed": float(speed.max()), "views": {}}
        frames = sorted({0, F // 2, F - 1})
        for view in f["views"]:
            group = f["views/" + view]
            seen = []
            for k in frames:
                if view == "bodies":
                    p0, pn = int(col["body_row"][k]), int(col["body_count"][k])
                    cells = pn
                elif view == "walls":
                    pn, cells = int(f["walls"].attrs["vertices"]), len(f["walls/body"])
                    p0 = k * pn
                elif view == "mesh":    # where bodies come and go, frames have numbers of their own
                    p0 = int(col["mesh_row"][k])
                    pn = int(col["mesh_count"][k]) if "mesh_count" in col else int(f["mesh"].attrs["vertices"])
                    cells = int(col["polygon_count"][k]) if "mesh_count" in col else len(f["mesh/body"])
                else:
                    p0, cells = int(col["contact_row"][k]), int(col["contact_count"][k])
                    p0, pn = (p0, cells) if view == "contacts" else (2 * p0, 2 * cells)
                points = group["Points"][p0:p0 + pn]
                bounds = [v for axis in range(3) for v in spread(points[:, axis])] if pn else None
                arrays = {}
                for where in ("PointData", "CellData"):
                    for name in group.get(where, {}):
                        data = group[where][name]
                        first = int(group["Steps"][where + "Offsets"][name][k])
                        values = data[first:first + cells]
                        arrays[name] = spread(values[:, 0] if values.ndim > 1 else values)
                seen.append({"frame": k, "points": pn, "cells": cells, "bounds": bounds, "arrays": arrays})
            out["views"][view] = seen
        return out


# ------------------------------------------------------------------ what ParaView sees
def near(a, b, size):
    return abs(a - b) <= TOLERANCE * max(size, abs(b), 1e-300)


def check_times(source, name, times, errors):
    source.UpdatePipelineInformation()
    found = source.TimestepValues
    found = list(found) if hasattr(found, "__len__") else [found]
    if len(found) != len(times) or any(not near(a, b, times[-1]) for a, b in zip(found, times)):
        errors.append(f"{name}: {len(found)} times from {found[:1]} to {found[-1:]}, expected {len(times)}")


def check_block(block, name, expected, times, errors):
    for want in expected:
        k = want["frame"]
        block.UpdatePipeline(times[k])
        info = block.GetDataInformation()
        seen = (info.GetNumberOfPoints(), info.GetNumberOfCells())
        if seen != (want["points"], want["cells"]):
            errors.append(f"{name}: frame {k} has {seen} points and cells, expected {(want['points'], want['cells'])}")
            continue
        if not want["points"]:
            continue
        bounds = info.GetBounds()
        size = max(abs(v) for v in want["bounds"])
        if not all(near(a, b, size) for a, b in zip(bounds, want["bounds"])):
            errors.append(f"{name}: frame {k} lies within {bounds}, expected {want['bounds']}")
        arrays = {a.Name: a for data in (block.PointData, block.CellData) for a in data.values()}
        for array, spread in want["arrays"].items():
            if array not in arrays:
                errors.append(f"{name}: array {array} is not there")
                continue
            low, high = arrays[array].GetRange(0)
            if not (near(low, spread[0], abs(spread[1])) and near(high, spread[1], abs(spread[0]))):
                errors.append(f"{name}: frame {k}: {array} in {(low, high)}, expected {spread}")


def picture(pv, state, parts, expected, kind, file):
    """The last frame as the state shows it: coloured by speed, or pale with the force chains."""
    plane = expected["dim"] == 2
    view = pv.CreateView("RenderView")
    view.ViewSize = [1400, 900]
    view.ViewTime = expected["times"][-1]
    pv.SetActiveView(view)
    for part in parts.values():
        part.UpdatePipeline(view.ViewTime)
    force = max([v["arrays"]["normal_force"][1] for v in expected["views"]["chains"] if v["points"]], default=0)
    state.show(view, parts, plane, expected["speed"], force, kind == "chains")
    state.look(view, plane)
    pv.Render(view)
    pv.SaveScreenshot(file, view)
    return foreground(file)


def foreground(file):
    """Part of a picture that is not background."""
    from paraview.vtk.vtkIOImage import vtkPNGReader
    from paraview.vtk.util.numpy_support import vtk_to_numpy
    reader = vtkPNGReader()
    reader.SetFileName(file)
    reader.Update()
    pixels = vtk_to_numpy(reader.GetOutput().GetPointData().GetScalars()).astype(int)
    return float((abs(pixels - pixels[-1]).max(1) > 8).mean())


def look(file, folder):
    from paraview import simple as pv
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools", "templates"))
    import paraview_state as state
    with open(file) as text:
        expected = json.load(text)
    version = str(pv.GetParaViewSourceVersion()).split()[-1]    # "paraview version 5.11.0"
    endings = ["vtkhdf" if tuple(int(v) for v in version.split(".")[:2]) >= (5, 12) else "xmf2"]
    errors, parts = [], {}
    base, ending_of_run = os.path.splitext(expected["file"])
    base = base + "." if ending_of_run == ".h5" else expected["file"] + "-views."
    for ending in endings:
        name = os.path.basename(base) + ending
        source = pv.OpenDataFile(base + ending) if os.path.exists(base + ending) else None
        if source is None:
            errors.append(f"{name} is missing, or ParaView has no reader for it")
            continue
        check_times(source, name, expected["times"], errors)
        parts = state.blocks(source)
        if list(parts) != expected["shown"]:
            errors.append(f"{name}: blocks {list(parts)}, expected {expected['shown']}")
            continue
        for view, frames in expected["views"].items():
            check_block(parts[view], f"{name}, {view}", frames, expected["times"], errors)
            print(f"{name}, {view}: {len(expected['times'])} frames, {frames[-1]['points']} points in the last")
    if folder and not errors:
        for kind in ("velocity", "chains"):
            file = os.path.join(folder, f"{os.path.splitext(os.path.basename(expected['file']))[0]}.{kind}.png")
            filled = picture(pv, state, parts, expected, kind, file)
            print(f"{file}: {100 * filled:.1f} % of the picture filled")
            if filled < 0.002:
                errors.append(f"{file} is blank")
    for message in errors:
        print(message)
    print(f"ParaView {version}: {'shows the run' if not errors else 'DOES NOT SHOW THE RUN'}")
    sys.stdout.flush()
    os._exit(1 if errors else 0)    # past the noise that ParaView makes when it is taken down


if __name__ == "__main__":
    if sys.argv[1].endswith(".json"):
        look(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    else:
        json.dump(expectations(sys.argv[1]), sys.stdout)
