# SPDX-License-Identifier: Apache-2.0
"""Opens pages of `talus view` in Chromium and compares what they hold and draw with the file (read by h5py).

    page_test.py TALUS SCENES [NAME…]"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

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
    moved = f"(async () => {{ for (let k = 0; k < 200 && !(talus.page.player.time > {before!r} && talus.page.drawn > {drawn} + 1); ++k)"
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
        page.click(left + width / 2 + p[0], top + height / 2 - p[1])
        check(page.value("talus.page.picked.body") == i, f"a click on {names[i]} picks {page.value('talus.page.picked.body')}")
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
