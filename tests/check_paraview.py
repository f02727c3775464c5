"""Does ParaView show what a trajectory holds? Two halves, because h5py and ParaView cannot always share a process:

    python3 check_paraview.py RUN.h5 > EXPECTED.json     what the file holds, by h5py
    pvbatch check_paraview.py EXPECTED.json [FOLDER]     what ParaView sees of it; pictures into FOLDER

The second opens every view as a user would, by the name of its file, and compares times, points, cells, bounds and the
range of every array at the first, a middle and the last frame. tools/scripts/check-paraview does both, with a display of its own.
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
        out = {"file": os.path.abspath(path), "dim": int(f.attrs["dim"]), "times": [float(t) for t in col["time"]], "views": {}}
        frames = sorted({0, F // 2, F - 1})
        for view in f["views"]:
            group = f["views/" + view]
            seen = []
            for k in frames:
                if view == "bodies":
                    p0, pn = int(col["body_row"][k]), int(col["body_count"][k])
                    cells = pn
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


def check_view(pv, path, expected, times, errors):
    name = os.path.basename(path)
    source = pv.OpenDataFile(path)
    if source is None:
        errors.append(f"{name}: ParaView has no reader for it")
        return None
    source.UpdatePipelineInformation()
    found = source.TimestepValues
    found = list(found) if hasattr(found, "__len__") else [found]
    if len(found) != len(times) or any(not near(a, b, times[-1]) for a, b in zip(found, times)):
        errors.append(f"{name}: {len(found)} times from {found[:1]} to {found[-1:]}, expected {len(times)}")
        return source
    for want in expected:
        k = want["frame"]
        source.UpdatePipeline(times[k])
        info = source.GetDataInformation()
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
        arrays = {a.Name: a for data in (source.PointData, source.CellData) for a in data.values()}
        for array, spread in want["arrays"].items():
            if array not in arrays:
                errors.append(f"{name}: array {array} is not there")
                continue
            low, high = arrays[array].GetRange(0)
            if not (near(low, spread[0], abs(spread[1])) and near(high, spread[1], abs(spread[0]))):
                errors.append(f"{name}: frame {k}: {array} in {(low, high)}, expected {spread}")
    return source


def picture(pv, sources, expected, colour_by, file):
    """Shapes of the last frame coloured by speed, or faint with the force chains through them."""
    times = expected["times"]
    plane = expected["dim"] == 2
    view = pv.CreateView("RenderView")
    view.ViewSize = [1400, 900]
    view.UseColorPaletteForBackground = 0
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    view.ViewTime = times[-1]
    chains = colour_by == "chains"
    shown = []
    if "mesh" in sources:
        shown.append(pv.Show(sources["mesh"], view))
        few = expected["views"]["mesh"][-1]["cells"] < 5000
        shown[-1].SetRepresentationType("Surface With Edges" if few else "Surface")
        shown[-1].EdgeColor = [0.25, 0.25, 0.25]
    if not plane or "mesh" not in sources:
        shown.append(pv.Show(sources["bodies"], view))
        shown[-1].SetRepresentationType("3D Glyphs")
        shown[-1].GlyphType = "Sphere"
        shown[-1].Scaling, shown[-1].ScaleMode = 1, "Magnitude"
        shown[-1].SelectScaleArray, shown[-1].ScaleFactor = "diameter", 1.0
    for display in shown:
        if chains:
            pv.ColorBy(display, None)
            display.DiffuseColor = display.AmbientColor = [0.85, 0.85, 0.8]
            display.Opacity = 1.0 if plane else 0.25
        else:
            place = "CELLS" if "mesh" in sources and display is shown[0] else "POINTS"
            pv.ColorBy(display, (place, "velocity", "Magnitude"))
    if not chains and shown:
        speed = pv.GetColorTransferFunction("velocity")
        speed.ApplyPreset("Viridis (matplotlib)", True)
        shown[0].RescaleTransferFunctionToDataRange(False, True)
        shown[0].SetScalarBarVisibility(view, True)
        bar = pv.GetScalarBar(speed, view)
        bar.Title, bar.ComponentTitle = "speed [m/s]", ""
        bar.TitleColor = bar.LabelColor = [0, 0, 0]
    last = expected["views"]["chains"][-1]
    if chains and last["points"]:
        low, high = last["arrays"]["normal_force"]
        lines = pv.CellDatatoPointData(Input=pv.ExtractSurface(Input=sources["chains"]))
        tube = pv.Tube(Input=lines)
        b = max((v["bounds"] for views in expected["views"].values() for v in views[-1:] if v["bounds"]),
                key=lambda b: b[1] - b[0])
        tube.Scalars = ["POINTS", "normal_force"]
        tube.VaryRadius = "By Scalar"
        tube.Radius = 0.0006 * max(b[1] - b[0], b[3] - b[2], b[5] - b[4])
        tube.RadiusFactor = 10 if high > low else 1
        display = pv.Show(tube, view)
        pv.ColorBy(display, ("POINTS", "normal_force"))
        force = pv.GetColorTransferFunction("normal_force")
        force.ApplyPreset("Inferno (matplotlib)", True)
        force.RescaleTransferFunction(0, high)
        display.SetScalarBarVisibility(view, True)
        bar = pv.GetScalarBar(force, view)
        bar.Title, bar.ComponentTitle = "normal force [N]", ""
        bar.TitleColor = bar.LabelColor = [0, 0, 0]
    pv.SetActiveView(view)
    camera = pv.GetActiveCamera()
    if plane:
        camera.SetParallelProjection(True)
        view.ResetCamera()
        camera.Zoom(1.4)
    else:
        camera.SetPosition(0, -1, 0)
        camera.SetViewUp(0, 0, 1)
        camera.SetFocalPoint(0, 0, 0)
        camera.Azimuth(25)
        camera.Elevation(18)
        view.ResetCamera()
        camera.Zoom(1.3)
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
    with open(file) as text:
        expected = json.load(text)
    version = str(pv.GetParaViewSourceVersion()).split()[-1]    # "paraview version 5.11.0"
    endings = ["xmf2"] + (["vtkhdf"] if tuple(int(v) for v in version.split(".")[:2]) >= (5, 12) else [])
    errors, sources = [], {}
    base = os.path.splitext(expected["file"])[0]
    for view, frames in expected["views"].items():
        for ending in endings:
            path = f"{base}.{view}.{ending}"
            if not os.path.exists(path):
                errors.append(f"{os.path.basename(path)} is missing")
                continue
            source = check_view(pv, path, frames, expected["times"], errors)
            if source is not None:
                sources[view] = source
                print(f"{os.path.basename(path)}: {len(expected['times'])} frames, {frames[-1]['points']} points in the last")
    if folder and not errors:
        for kind in ("velocity", "chains"):
            file = os.path.join(folder, f"{os.path.basename(base)}.{kind}.png")
            filled = picture(pv, sources, expected, kind, file)
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
