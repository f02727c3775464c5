# SPDX-License-Identifier: Apache-2.0
"""Opens pages of `talus view` in Chromium and compares what they hold and draw with the file (read by h5py).

    page_test.py TALUS SCENES [NAME…]"""
import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402
import serve_test  # noqa: E402

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=document.title='owned'>\\\"'&amp;ü\u2028𝕏"
HOSTILE_SCENE = """# x.toml: %s
time = { step = 1e-3, end = 0.02, save_every = 1 }
dimension = 2
gravity = [0, -9.81]
[material."%s"]
density = 2500
friction = 0.5
[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "%s"
fixed = true
[[body]]
name = "%s"
shape = { ball = 0.1 }
material = "%s"
position = [0, 0.1]
""" % (HOSTILE.replace("\\", ""), HOSTILE, HOSTILE, HOSTILE, HOSTILE)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def make(talus, folder, scenes, name, *options):
    scene = os.path.join(scenes, name + ".toml")
    for command in (["run", scene, "-o", f"{name}.h5", "--quiet", *options], ["view", f"{name}.h5"]):
        done = subprocess.run([talus, *command], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, f"{command}: {done.stderr}")
    return os.path.join(folder, name)


class Run:
    """What the file says of a frame."""

    def __init__(self, path):
        self.file = h5py.File(path, "r")
        self.time = self.file["frames/time"][:]

    def column(self, name, k):
        first, count = self.file["frames/body_row"][k], self.file["frames/body_count"][k]
        return self.file[f"state/{name}"][first:first + count]

    def bodies(self, k):
        return self.column("body", k) if "body" in self.file["state"] else np.arange(len(self.file["bodies/id"]))

    def contacts(self, name, k):
        first, count = self.file["frames/contact_row"][k], self.file["frames/contact_count"][k]
        return self.file[f"contacts/{name}"][first:first + count]


def rotation(q):
    w, x, y, z = np.asarray(q).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)], -1)  # first column


def same_frames(page, run):
    """Positions within a thousandth of the smallest body, orientations and velocities as quantised, forces to a percent."""
    fixed, radius = run.file["bodies/fixed"][:], run.file["bodies/radius"][:]
    quantum = radius[fixed == 0].min() / 1000
    check(page.value("talus.page.runs[0].frames.length") == len(run.time), "number of frames")
    for k in sorted({0, len(run.time) // 2, len(run.time) - 1}):
        frame = page.value(f"(() => {{ const f = talus.page.runs[0].frames[{k}]; const l = (a) => Array.from(a); return {{time: f.time, "
                           "body: l(f.body), position: l(f.position), turn: l(f.turn), velocity: l(f.velocity), spin: l(f.spin), "
                           "a: l(f.contacts.a), b: l(f.contacts.b), force: l(f.contacts.force), direction: l(f.contacts.direction)}; })()")
        order = np.argsort(run.bodies(k), kind="stable")
        check(frame["time"] == run.time[k], "time of a frame")
        check(frame["body"] == run.bodies(k)[order].tolist(), "bodies of a frame")
        n = len(order)
        x = run.column("position", k)[order]
        check(np.abs(np.reshape(frame["position"], (n, 3)) - x).max() <= quantum * 0.51 + 1e-6 * np.abs(x).max(), "positions")
        check(np.abs(rotation(np.reshape(frame["turn"], (n, 4))) - rotation(run.column("orientation", k)[order])).max() < 2e-3, "orientations")
        v = run.column("velocity", k)[order]
        check(np.allclose(np.reshape(frame["velocity"], (n, 3)), v, rtol=6e-4, atol=1e-6), "velocities")
        spin = np.linalg.norm(run.column("angular_velocity", k)[order], axis=1)
        check(np.allclose(np.abs(frame["spin"]), spin, rtol=6e-4, atol=1e-6), "spins")
        pairs = sorted(zip(run.contacts("body_a", k).tolist(), run.contacts("body_b", k).tolist()))
        check(sorted(zip(frame["a"], frame["b"])) == pairs, "pairs of contacts")
        force = run.contacts("force", k)
        total = np.sum(np.reshape(frame["direction"], (-1, 3)) * np.reshape(frame["force"], (-1, 1)), axis=0) if pairs else 0
        check(np.abs(total - force.sum(axis=0)).max(initial=0) <= 0.01 * np.abs(force).sum() + 1e-9, "forces of contacts")


def same_series(page, run):
    """Every number of every plot is the file's."""
    plots = page.value("talus.page.plots.flatMap((p) => p.curves.map((c) => ({plot: p.title, measure: Boolean(p.options.measure), "
                       "name: c.name, times: Array.from(c.times), values: Array.from(c.values)})))")
    check(len(plots) > 5, "plots")
    for curve in plots:
        group = run.file[f"measures/{curve['plot']}"] if curve["measure"] else run.file["series"]
        if curve["name"] == "total_energy":
            expected = group["kinetic"][:] + group["potential"][:]
        elif curve["name"].endswith("_sum"):
            expected = np.cumsum(group[curve["name"][:-4]][:])
        else:
            expected = group[curve["name"]][:].astype(float)
        values = np.array([np.nan if v is None else v for v in curve["values"]], dtype=float)
        check(np.array_equal(curve["times"], group["time"][:]), f"times of {curve['plot']}")
        check(np.array_equal(values, expected, equal_nan=True), f"values of {curve['plot']}: {curve['name']}")


def plays(page):
    """Something is drawn, playing moves it, and the page complains of nothing."""
    check(page.value("(talus.redraw(), talus.page.renderer.drawnPixels())") > 2000, "the canvas is empty")
    page.value("talus.page.player.seek(talus.page.player.start)")
    page.click(*page.value("(() => { const b = document.getElementById('play').getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"))
    before, drawn = page.value("[talus.page.player.time, talus.page.drawn]")
    moved = f"(async () => {{ for (let k = 0; k < 3000 && !(talus.page.player.time > {before!r} && talus.page.drawn > {drawn} + 1); ++k)"
    moved += f" await new Promise((done) => setTimeout(done, 50)); return talus.page.player.time > {before!r}; }})()"
    check(page.value(moved), "play does not move")
    page.value("talus.page.player.pause()")
    check(page.errors() == [], f"the page complains: {page.errors()}")
    check(all(url.startswith(("file:", "blob:", "data:")) for url in page.requests()), "the page asks the network")


def camera_of(page):
    return page.value("(() => { const c = talus.page.camera, b = document.getElementById('scene').getBoundingClientRect(); return {...c.frame(), "
                      "plane: c.plane, pixel: c.pixel(b.height), box: [b.x, b.y, b.width, b.height]}; })()")


def picks_in_plane(page, run, k):
    """A click on the centre of a body picks it."""
    page.value(f"talus.page.player.seek({run.time[k]!r})")
    camera, names = camera_of(page), run.file["bodies/name"].asstr()[:]
    left, top, width, height = camera["box"]
    free = [i for i in range(len(names)) if run.file["bodies/fixed"][i] == 0]
    for i in free[:: max(1, len(free) // 8)]:
        p = (run.column("position", k)[i] - camera["eye"]) / camera["pixel"]
        page.value("(talus.pick(0, -1), talus.redraw())")  # closes the card of the last one, which may lie over the next
        page.click(left + width / 2 + p[0], top + height / 2 - p[1])
        try:  # a busy machine takes its time to hand a click on
            wait_for(page, f"talus.page.picked.body === {i}", 20)
        except AssertionError:
            raise AssertionError(f"a click on {names[i]} picks {page.value('talus.page.picked.body')}") from None
        check(page.value("(talus.redraw(), document.querySelector('#picked h2').textContent)") == names[i], "name of the picked body")


def picks_in_space(page, run, k):
    """At a grid of places of the window: the ball that a ray through it meets first."""
    page.value(f"talus.page.player.seek({run.time[k]!r})")
    camera = camera_of(page)
    left, top, width, height = camera["box"]
    right, up, back, eye = (np.array(camera[name]) for name in ("right", "up", "back", "eye"))
    x, radius = run.column("position", k), run.file["bodies/diameter"][:] / 2
    met = 0
    for fx in np.linspace(0.3, 0.7, 9):
        for fy in np.linspace(0.3, 0.9, 9):
            along = (2 * fx - 1) * width / height * right + (1 - 2 * fy) * up
            along = along * np.tan(np.radians(17)) - back
            along /= np.linalg.norm(along)
            t = (x - eye) @ along
            inside = radius ** 2 - np.sum((x - eye) ** 2, axis=1) + t ** 2
            distance = np.where(inside > 0, t - np.sqrt(np.maximum(inside, 0)), np.inf)
            distance[radius == 0] = np.inf
            first, second = np.partition(distance, 1)[:2]
            if first < np.inf and second - first < 0.02 * radius.max() or np.abs(inside).min() < 1e-2 * radius.max() ** 2:
                continue  # too close to an edge for quantised positions
            expected = int(np.argmin(distance)) if first < np.inf else -1
            found = page.value(f"talus.bodyAt({left + fx * width}, {top + fy * height}).body")
            check(found == expected, f"at {fx:.2f}, {fy:.2f}: body {found} instead of {expected}")
            met += expected >= 0
    check(met > 5, "no body was met")


def whole_page(page, talus, folder, scenes, name, options, picks=None):
    path = make(talus, folder, scenes, name, *options)
    run = Run(path + ".h5")
    page.open(f"file://{path}.html")
    same_frames(page, run)
    same_series(page, run)
    plays(page)
    if picks:
        picks(page, run, len(run.time) // 2)
    check(page.value("document.getElementById('verdict').textContent") == "certified", "verdict")


def test_wall(page, *where):
    whole_page(page, *where, "wall", ["--until", "0.3"], picks_in_plane)


def test_heap(page, *where):
    whole_page(page, *where, "settle", ["--until", "0.3"], picks_in_space)


def test_chain(page, *where):
    whole_page(page, *where, "row", [])


def test_mechanism(page, *where):
    whole_page(page, *where, "four_bar", ["--until", "0.5"])
    check(page.value("talus.page.drawings[0].dotCount") == 4, "four joints are drawn")


def test_emitters(page, *where):
    whole_page(page, *where, "chute", ["--until", "1.5"])


def test_rocks(page, *where):
    whole_page(page, *where, "rockpile", ["--until", "0.6"])


def test_hostile(page, talus, folder, scenes):
    """Names that would end the script, or run one, are text."""
    with open(os.path.join(folder, "x.toml"), "w") as file:
        file.write(HOSTILE_SCENE)
    name = "<img src=x onerror=document.title=1>"
    for command in (["run", "x.toml", "-o", name + ".h5", "--quiet"], ["view", name + ".h5"]):
        done = subprocess.run([talus, *command], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
    os.rename(os.path.join(folder, name + ".html"), os.path.join(folder, "x.html"))
    page.open(f"file://{folder}/x.html")
    page.value("talus.pick(0, 1), talus.showCertificate(), talus.redraw()")
    with h5py.File(os.path.join(folder, name + ".h5")) as file:
        stored = file["bodies/name"].asstr()[1]
    shown = page.value("document.querySelector('#picked h2').textContent")
    check("</script>" in stored and shown == stored, f"{shown!r} instead of {stored!r}")
    check(page.value("document.title") == name, "the title has changed")
    check(page.value("document.images.length") == 0, "a name has become an element")
    check(page.errors() == [], f"the page complains: {page.errors()}")


CRACKS = """dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.2, save_every = 10 }
[material.ice]
density = 900
friction = 0
[[body]]
name = "plate"
shape = { box = [2, 0.2] }
material = "ice"
position = [0, -0.1]
drive = [{ direction = [1, 0], velocity = 0.5 }]
[[body]]
name = "lower"
shape = { box = [0.4, 0.2] }
material = "ice"
position = [0, 0.1]
[[body]]
name = "upper"
shape = { box = [0.4, 0.2] }
material = "ice"
position = [0, 0.3]
"""


def test_cracks(page, talus, folder, scenes):
    """A plate without friction is drawn away under two blocks: their seam stays closed, that with the plate slides by the plate's way."""
    with open(os.path.join(folder, "slide.toml"), "w") as file:
        file.write(CRACKS)
    path = make(talus, folder, folder, "slide")
    page.open(f"file://{path}.html")
    check(page.value("document.getElementById('show-cracks').checked"), "cracks are shown")
    first = page.value("talus.page.runs[0].frames.find((f) => f.contacts.count > 0).time")
    for t in (0.05, 0.15, 0.2):
        page.value(f"(talus.page.player.seek({t}), talus.redraw())")
        ends = page.value("talus.cracks(talus.page.runs[0])")
        check(len(ends) == 2, f"{len(ends)} cracks at {t} s")
        for a, b in ends:
            check(abs(abs(a[0] - b[0]) - 0.5 * (t - first)) < 1e-3 and abs(a[1] - b[1]) < 1e-3, f"a crack from {a} to {b} at {t} s")
    check(page.errors() == [], f"the page complains: {page.errors()}")


def test_points(page, talus, folder, scenes):
    """Of bodies that are points the page shows their ways: a line for every step from frame to frame, and a dot where each is."""
    path = make(talus, folder, scenes, "cavity")
    run = Run(path + ".h5")
    page.open(f"file://{path}.html")
    free = np.flatnonzero(run.file["bodies/fixed"][:] == 0)
    for k in (0, 10, len(run.time) - 1):
        page.value(f"(talus.page.player.seek({run.time[k]!r}), talus.redraw())")
        ribbons, dots = page.value("(() => { const r = talus.page.runs[0], heaps = [r.ribbonHeap, r.dotHeap]; "
                                   "return heaps.map((h) => Array.from(h.numbers.slice(0, h.size * h.count))); })()")
        ribbons, dots = np.reshape(ribbons, (-1, 12)), np.reshape(dots, (-1, 7))
        check(len(dots) == len(free), f"{len(dots)} dots of {len(free)} points")
        x = run.column("position", k)[free]
        check(np.abs(np.sort(dots[:, :3], axis=0) - np.sort(x, axis=0)).max() < 1e-3, "places of the dots")
        way = [np.linalg.norm(run.column("position", j + 1)[free] - run.column("position", j)[free], axis=1).sum() for j in range(k)]
        lines = ribbons[np.isclose(ribbons[:, 6], 0.0012 * page.value("talus.page.camera.extent"), rtol=1e-5)]
        length = np.linalg.norm(lines[:, 3:6] - lines[:, :3], axis=1).sum()
        check(abs(length - sum(way)) < 1e-2 * sum(way) + 1e-9, f"the ways are {length} long, in the file {sum(way)}")
    check(page.errors() == [], f"the page complains: {page.errors()}")


def test_rod(page, talus, folder, scenes):
    """A rod thinner than a pixel is a line between its ends, and its chain is about as slender."""
    path = make(talus, folder, scenes, "painleve", "--until", "0.2")
    run = Run(path + ".h5")
    page.open(f"file://{path}.html")
    page.value(f"(talus.page.player.seek({run.time[10]!r}), talus.redraw())")
    ribbons, extent = page.value("(() => { const h = talus.page.runs[0].ribbonHeap; return [Array.from(h.numbers.slice(0, 12 * h.count)), talus.page.camera.extent]; })()")
    rod, chain = np.reshape(ribbons, (2, 12))
    check(max(rod[6], chain[6]) <= 0.0021 * extent, f"half a chain is {chain[6] / extent:.4f} of the picture wide")
    body = int(np.flatnonzero(run.file["bodies/fixed"][:] == 0)[0])
    first, shape = run.file["shapes/vertex_offset"][:], run.file["bodies/shape"][body]
    corners = run.file["shapes/vertices"][first[shape]:first[shape + 1]]
    centre, along = run.column("position", 10)[body], rotation(run.column("orientation", 10)[body:body + 1])[0]
    tips = [centre + x * along for x in (corners[:, 0].min(), corners[:, 0].max())]
    ends = (rod[:3], rod[3:6])
    check(min(max(np.linalg.norm(a - b) for a, b in zip(ends, order)) for order in (tips, tips[::-1])) < 5e-3, f"the rod is drawn from {ends[0]} to {ends[1]}")


def test_drum(page, talus, folder, scenes):
    """A drum is seen whole, and bodies can be coloured by every field of their state."""
    path = make(talus, folder, scenes, "drum", "--until", "0.1")
    run = Run(path + ".h5")
    page.open(f"file://{path}.html")
    shape = run.file["bodies/shape"][:][run.file["bodies/fixed"][:] != 0]
    first = run.file["shapes/vertex_offset"][:]
    corners = np.concatenate([run.file["shapes/vertices"][first[s]:first[s + 1]] for s in shape])
    camera = camera_of(page)
    half = np.array(camera["box"][2:]) / 2 * camera["pixel"]
    check((np.abs(corners[:, :2] - camera["eye"][:2]) < half).all(), "a part of the drum is outside of the picture")
    k = len(run.time) - 1
    order = np.argsort(run.bodies(k), kind="stable")
    x = run.column("position", k)[order]
    turn = np.abs(np.sum(run.column("orientation", 0) * run.column("orientation", k), axis=1))[order]
    expected = {"px": x[:, 0], "py": x[:, 1], "turned": 2 * np.arccos(np.minimum(1, turn))}
    for field, numbers in expected.items():
        shown = page.value(f"Array.from(talus.fields.{field}.values(talus.page.runs[0].frames[{k}], talus.page.runs[0]))")
        check(np.abs(np.array(shown) - numbers).max() < 2e-3, f"colours by {field}")
    check(page.errors() == [], f"the page complains: {page.errors()}")


def test_compare(page, talus, folder, scenes):
    """Two runs on one time bar; plots hold both."""
    for name, end in (("one", "0.2"), ("two", "0.3")):
        done = subprocess.run([talus, "run", os.path.join(scenes, "rocking.toml"), "-o", name + ".h5", "--quiet", "--until", end],
                              cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
    done = subprocess.run([talus, "view", "one.h5", "two.h5", "-o", "both.html"], cwd=folder, capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    page.open(f"file://{folder}/both.html")
    one, two = Run(f"{folder}/one.h5"), Run(f"{folder}/two.h5")
    check(page.value("talus.page.runs.map((r) => r.frames.length)") == [len(one.time), len(two.time)], "frames of both")
    check(page.value("talus.page.player.end") == two.time[-1], "one time bar")
    curves = page.value("talus.page.plots[0].curves.filter((c) => c.name === 'kinetic').map((c) => Array.from(c.values))")
    check(curves == [one.file["series/kinetic"][:].tolist(), two.file["series/kinetic"][:].tolist()], "plots of both")
    plays(page)


def wait_for(page, condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if page.value(f"Boolean({condition})"):
                return
        except RuntimeError:  # the page is being loaded again
            pass
        time.sleep(0.05)
    raise AssertionError(f"never came: {condition}")


def rest_at_frame(run, path, frames):
    """Stops a running process, outside of its writing, when its file has so many frames; the test must not race it."""
    while True:
        with open(path, "rb") as file:
            run.send_signal(signal.SIGSTOP)
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                with h5py.File(path, "r") as written:
                    if len(written["frames/time"]) >= frames:
                        return
            except (BlockingIOError, OSError, KeyError):  # it is just writing
                pass
        check(run.poll() is None, "the run was over too early for this test")
        run.send_signal(signal.SIGCONT)
        time.sleep(0.003)


def test_live(page, talus, folder, scenes):
    """A served page follows a run that is killed, resumed and ends; then another takes its place; then the server ends."""
    command = [talus, "run", os.path.join(scenes, "wall.toml"), "-o", "live.h5", "--quiet", "--threads", "1", "--until", "0.3",
               "--set", "time.step=2e-4", "--set", "time.save_every=25", "--checkpoint-interval", "0.02"]
    first = subprocess.Popen(command, cwd=folder)
    path = os.path.join(folder, "live.h5")
    while not os.path.exists(path):
        check(first.poll() is None, "the run has not begun")
        time.sleep(0.001)
    rest_at_frame(first, path, 3)
    server = serve_test.Server(talus, folder, "live.h5")
    try:
        page.open(server.address)
        wait_for(page, "talus.page.runs[0].frames.length > 2")
        check(page.value("document.getElementById('verdict').textContent") == "not complete", "verdict of a run that goes on")
        page.value("(talus.page.plots[0].curves[0].shown = false, talus.page.before = talus.page.runs[0].frames.length)")
        first.send_signal(signal.SIGCONT)
        rest_at_frame(first, path, page.value("talus.page.before") + 4)
        wait_for(page, "talus.page.runs[0].frames.length > talus.page.before + 3 && talus.page.player.end > 0.03")
        first.kill()
        first.wait()
        check(page.value("talus.page.runs[0].growing.complete") is False, "the run was over too early for this test")
        done = subprocess.run([*command, "--resume"], cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        check(page.value("talus.page.before") > 2, "the page was loaded again")
        wait_for(page, "talus.page.runs[0].growing.complete && document.getElementById('live').textContent === 'complete'")
        run = Run(os.path.join(folder, "live.h5"))
        same_frames(page, run)
        same_series(page, run)
        end, now = page.value("[talus.page.player.end, talus.page.player.time]")
        check(end == now == run.time[-1], f"the time is {now}, the bar ends at {end}, the run at {run.time[-1]}")
        check(page.value("talus.page.plots[0].curves[0].shown") is False, "a hidden curve has come back")
        check(page.value("document.getElementById('verdict').textContent") == "certified", "verdict")
        page.value("talus.page.player.seek(0)")
        done = subprocess.run([talus, "run", os.path.join(scenes, "rocking.toml"), "-o", "live.h5", "--quiet", "--until", "0.1", "--force"],
                              cwd=folder, capture_output=True, text=True)
        check(done.returncode == 0, done.stderr)
        wait_for(page, "talus.page.loaded && talus.page.runs[0].bodies.name.length === 2")
        same_frames(page, Run(os.path.join(folder, "live.h5")))
        check(page.errors() == [], f"the page complains: {page.errors()}")
        check(all(url.startswith((server.address, "data:", "blob:")) for url in page.requests()), "the page asks others")
        check(server.end() == 0, "exit code of the server")
        wait_for(page, "document.getElementById('live').textContent === 'no connection'")
        check(page.value("(talus.redraw(), talus.page.renderer.drawnPixels())") > 2000, "the page has lost what it had")
    finally:
        first.kill()
        server.process.kill()


TESTS = {name[5:]: test for name, test in list(globals().items()) if name.startswith("test_")}


def main():
    talus, scenes, *names = sys.argv[1:]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="talus-view-") as folder, browser.Browser() as page:
        for name in names or TESTS:
            place = os.path.join(folder, name)
            os.mkdir(place)
            try:
                TESTS[name](page, talus, place, scenes)
                print(f"pass {name}", flush=True)
            except Exception as error:  # noqa: BLE001
                print(f"FAIL {name}: {error}", flush=True)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
