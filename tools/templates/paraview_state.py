# How a run of Talus looks in ParaView: balls as spheres, surfaces with edges, walls see-through, force chains as tubes.
#   File > Load State… and choose this file, or: paraview --state=FILE
#   The eyes of the pipeline browser show and hide the parts; force chains begin hidden.
from paraview import servermanager, simple as pv

# The run without its ending, whether it lies in the plane, and the ends of the scales of speed [m/s] and force [N].
RUN, PLANE, SPEED, FORCE = "", False, 1, 1


# From dark to bright; names of presets differ between versions of ParaView.
BLUE_TO_YELLOW = [(0.27, 0.00, 0.33), (0.23, 0.32, 0.55), (0.13, 0.57, 0.55), (0.37, 0.79, 0.38), (0.99, 0.91, 0.14)]
BLACK_TO_YELLOW = [(0.00, 0.00, 0.01), (0.34, 0.06, 0.43), (0.74, 0.21, 0.33), (0.98, 0.56, 0.04), (0.99, 1.00, 0.64)]


def legend(view, array, title, highest, scale, display):
    colours = pv.GetColorTransferFunction(array)
    colours.AutomaticRescaleRangeMode, colours.ColorSpace = "Never", "Lab"
    colours.RGBPoints = [v for k, colour in enumerate(scale) for v in ((highest or 1) * k / (len(scale) - 1), *colour)]
    display.SetScalarBarVisibility(view, True)
    bar = pv.GetScalarBar(colours, view)
    bar.Title, bar.ComponentTitle = title, ""
    bar.TitleColor = bar.LabelColor = [0, 0, 0]


def blocks(source):
    """The blocks of the run that are there, by name, each as a source of its own in the pipeline."""
    source.UpdatePipeline()
    hierarchy = source.GetDataInformation().GetHierarchy()
    found = {}
    for child in range(hierarchy.GetNumberOfChildren(hierarchy.GetRootNode())):
        name = hierarchy.GetNodeName(hierarchy.GetChild(hierarchy.GetRootNode(), child))
        part = pv.ExtractBlock(registrationName=name, Input=source)
        part.Selectors = ["/Root/" + name]
        found[name] = part
    return found


def show(view, parts, plane, speed, force, chains=False):
    """Draws the parts; with `chains` bodies are pale and the forces between them are seen."""
    displays = {}
    for name in [n for n in ("mesh", "bodies") if n in parts and not (plane and n == "bodies" and "mesh" in parts)]:
        display = displays[name] = pv.Show(parts[name], view)
        if name == "mesh":
            few = parts[name].GetDataInformation().GetNumberOfCells() < 5000
            display.SetRepresentationType("Surface With Edges" if few else "Surface")
            display.EdgeColor = [0.25, 0.25, 0.25]
        else:
            display.SetRepresentationType("3D Glyphs")
            display.GlyphType = "Sphere"
            display.Scaling, display.ScaleMode = 1, "Magnitude"
            display.SelectScaleArray, display.ScaleFactor = "diameter", 1.0
        if chains:
            display.ColorArrayName = ["POINTS", ""]
            display.DiffuseColor = display.AmbientColor = [0.85, 0.85, 0.8]
            display.Opacity = 1.0 if plane else 0.25
        else:
            pv.ColorBy(display, ("CELLS" if name == "mesh" else "POINTS", "velocity", "Magnitude"))
            legend(view, "velocity", "speed [m/s]", speed, BLUE_TO_YELLOW, display)
    if "walls" in parts:
        display = displays["walls"] = pv.Show(parts["walls"], view)
        display.SetRepresentationType("Surface")
        display.ColorArrayName = ["POINTS", ""]
        display.DiffuseColor = display.AmbientColor = [0.55, 0.6, 0.65]
        display.Opacity = 0.6 if plane else 0.12
        display.Ambient, display.Diffuse = (0, 1) if plane else (0.6, 0.4)
    lines = pv.CellDatatoPointData(registrationName="forces", Input=pv.ExtractSurface(registrationName="lines", Input=parts["chains"]))
    tubes = pv.Tube(registrationName="force chains", Input=lines)
    size = max(b - a for a, b in zip(view_bounds(parts)[0::2], view_bounds(parts)[1::2]))
    tubes.Scalars = ["POINTS", "normal_force"]
    tubes.VaryRadius = "By Scalar"
    tubes.Radius = 0.0006 * size    # of the smallest force in the frame
    tubes.RadiusFactor = 10         # of the largest, relative to it
    if chains:
        display = displays["force chains"] = pv.Show(tubes, view)
        pv.ColorBy(display, ("POINTS", "normal_force"))
        legend(view, "normal_force", "normal force [N]", force, BLACK_TO_YELLOW, display)
    else:
        pv.Hide(tubes, view)
    return displays


def view_bounds(parts):
    boxes = [parts[n].GetDataInformation().GetBounds() for n in ("mesh", "bodies", "walls") if n in parts]
    boxes = [b for b in boxes if b[0] <= b[1]]
    return [f(b[k] for b in boxes) for k, f in enumerate((min, max, min, max, min, max))]


def look(view, plane):
    view.UseColorPaletteForBackground = 0
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    camera = view.GetActiveCamera()
    view.CameraParallelProjection = 1 if plane else 0
    if not plane:
        camera.SetPosition(0, -1, 0)
        camera.SetViewUp(0, 0, 1)
        camera.SetFocalPoint(0, 0, 0)
        camera.Azimuth(25)
        camera.Elevation(18)
    pv.ResetCamera(view)
    camera.Zoom(1.3 if plane else 1)


def main():
    version = (servermanager.vtkSMProxyManager.GetVersionMajor(), servermanager.vtkSMProxyManager.GetVersionMinor())
    source = pv.OpenDataFile(RUN + ("vtkhdf" if version >= (5, 12) else "xmf2"))
    view = pv.GetActiveViewOrCreate("RenderView")
    pv.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
    show(view, blocks(source), PLANE, SPEED, FORCE)
    look(view, PLANE)
    pv.Render(view)


if RUN:
    main()
