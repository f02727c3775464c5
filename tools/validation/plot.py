# SPDX-License-Identifier: Apache-2.0
"""Points and lines over two logarithmic or plain axes, as SVG."""
import math

COLOURS = ["#1f6fb4", "#c8502d", "#3a8f4d", "#8155a8", "#777777"]


class Plot:
    """`logarithmic`: both axes, none (False), or the one that it names, "y"."""

    def __init__(self, title, x, y, x_range, y_range, x_ticks, y_ticks, logarithmic=True, size=(460, 360)):
        self.size = size
        self.scales = [math.log if logarithmic in (True, axis) else float for axis in "xy"]
        self.x_range, self.y_range = x_range, y_range
        self.left, self.right, self.top, self.bottom = 62, size[0] - 14, 30, size[1] - 46
        self.parts, self.labels = [], []
        self.parts.append(f'<rect x="{self.left}" y="{self.top}" width="{self.right - self.left}" '
                          f'height="{self.bottom - self.top}" fill="none" stroke="#444"/>'
                          f'<text x="{self.left}" y="18" font-weight="bold">{title}</text>'
                          f'<text x="{(self.left + self.right) / 2}" y="{size[1] - 10}" text-anchor="middle">{x}</text>'
                          f'<text transform="translate(14 {(self.top + self.bottom) / 2}) rotate(-90)" '
                          f'text-anchor="middle">{y}</text>')
        for tick in x_ticks:
            at, _ = self.at(tick, y_range[0])
            self.parts.append(f'<path d="M{at:.1f} {self.top}V{self.bottom}" stroke="#ddd"/>'
                              f'<text x="{at:.1f}" y="{self.bottom + 15}" text-anchor="middle">{tick:g}</text>')
        for tick in y_ticks:
            _, at = self.at(x_range[0], tick)
            self.parts.append(f'<path d="M{self.left} {at:.1f}H{self.right}" stroke="#ddd"/>'
                              f'<text x="{self.left - 6}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>')

    def at(self, x, y):
        share = [(scale(v) - scale(low)) / (scale(high) - scale(low))
                 for scale, v, (low, high) in zip(self.scales, (x, y), (self.x_range, self.y_range))]
        return self.left + share[0] * (self.right - self.left), self.bottom - share[1] * (self.bottom - self.top)

    def points(self, xs, ys, colour, label, radius=3.5):
        for x, y in zip(xs, ys):
            across, up = self.at(x, y)
            self.parts.append(f'<circle cx="{across:.1f}" cy="{up:.1f}" r="{radius}" fill="none" '
                              f'stroke="{COLOURS[colour]}" stroke-width="1.4"/>')
        if label:
            self.labels.append((colour, label))

    def line(self, law, low, high, colour, label, dashes=""):
        steps = 60
        xs = [low * (high / low)**(k / steps) for k in range(steps + 1)]
        path = "L".join("{:.1f} {:.1f}".format(*self.at(x, law(x))) for x in xs)
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[colour]}" stroke-width="1.3"{dash}/>')
        if label:
            self.labels.append((colour, label))

    def trace(self, xs, ys, colour, label=""):
        path = "L".join("{:.1f} {:.1f}".format(*self.at(x, y)) for x, y in zip(xs, ys))
        self.parts.append(f'<path d="M{path}" fill="none" stroke="{COLOURS[colour]}" stroke-width="1.2"/>')
        if label:
            self.labels.append((colour, label))

    def drawn(self, across):
        legend = "".join(f'<text x="{self.left + 10}" y="{self.top + 17 + 14 * k}" fill="{COLOURS[colour]}">{label}</text>'
                         for k, (colour, label) in enumerate(self.labels))
        return f'<g transform="translate({across} 0)">' + "".join(self.parts) + legend + "</g>"


def write(path, plots):
    """Plots side by side in one file."""
    width, height = sum(p.size[0] for p in plots), max(p.size[1] for p in plots)
    across, parts = 0, []
    for plot in plots:
        parts.append(plot.drawn(across))
        across += plot.size[0]
    with open(path, "w") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                   'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
                   + "\n".join(parts) + "</svg>\n")
