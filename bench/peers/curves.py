# SPDX-License-Identifier: Apache-2.0
"""Draws curves on logarithmic or linear axes as SVG, with Python alone."""

import math
from html import escape

WIDTH, HEIGHT, LEFT, TOP, LEGEND = 520, 400, 80, 40, 210
COLORS = ["#1b6ca8", "#6fa8dc", "#d1495b", "#e08e0b", "#3a7d44", "#8b5fbf", "#0f9d94", "#5c5c5c", "#b0568f", "#7f6a3f",
          "#2f4858", "#c0a000"]
MARKED = 60  # points of a curve that are marked one by one


def power(exponent):
    return f"10<tspan dy='-5' font-size='9'>{exponent}</tspan>"


class LogAxis:
    """Whole powers of ten around the values; `ticks` at most."""

    def __init__(self, values, ticks):
        self.low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        self.high = max(high, self.low + 1)
        every = max(1, (self.high - self.low) // ticks)
        self.ticks = [(10.0**k, power(k)) for k in range(self.low, self.high + 1, every)]

    def share(self, value):
        return (math.log10(value) - self.low) / (self.high - self.low)


class LinearAxis:
    """From the least to the largest tick of 1, 2 or 5 times a power of ten around the values."""

    def __init__(self, values, ticks):
        low, high = min(values), max(values)
        rough = (high - low or abs(high) or 1) / ticks
        unit = 10.0**math.floor(math.log10(rough))
        step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough)
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        last = max(last, first + 1)
        self.low, self.high = first * step, last * step
        self.ticks = [(k * step, f"{k * step:.6g}") for k in range(first, last + 1)]

    def share(self, value):
        return (value - self.low) / (self.high - self.low)


AXES = {"log": LogAxis, "linear": LinearAxis}


def draw(path, title, x_title, y_title, curves, scales=("log", "log")):
    """curves: {label: [(x, y), ...]}; points that a logarithmic axis does not have are left out."""
    def fits(point):
        return all(math.isfinite(v) and (v > 0 or scale != "log") for v, scale in zip(point, scales))
    curves = {label: sorted(filter(fits, points)) for label, points in curves.items()}
    curves = {label: points for label, points in curves.items() if points}
    if not curves:
        return False
    x_axis = AXES[scales[0]]([p[0] for points in curves.values() for p in points], 1000 if scales[0] == "log" else 10)
    y_axis = AXES[scales[1]]([p[1] for points in curves.values() for p in points], 10)

    def x_at(x):
        return LEFT + WIDTH * x_axis.share(x)

    def y_at(y):
        return TOP + HEIGHT * (1 - y_axis.share(y))

    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{LEFT + WIDTH + LEGEND}' height='{TOP + HEIGHT + 60}' "
           "font-family='sans-serif' font-size='12'><rect width='100%' height='100%' fill='white'/>",
           f"<text x='{LEFT}' y='24' font-size='15'>{escape(title)}</text>"]
    for value, label in x_axis.ticks:
        x = x_at(value)
        out.append(f"<path d='M{x:.1f} {TOP}V{TOP + HEIGHT}' stroke='#ddd'/>"
                   f"<text x='{x:.1f}' y='{TOP + HEIGHT + 20}' text-anchor='middle'>{label}</text>")
    for value, label in y_axis.ticks:
        y = y_at(value)
        out.append(f"<path d='M{LEFT} {y:.1f}H{LEFT + WIDTH}' stroke='#ddd'/>"
                   f"<text x='{LEFT - 8}' y='{y + 4:.1f}' text-anchor='end'>{label}</text>")
    for (label, points), color in zip(curves.items(), COLORS * 3):
        line = "L".join(f"{x_at(x):.1f} {y_at(y):.1f}" for x, y in points)
        out.append(f"<path d='M{line}' fill='none' stroke='{color}' stroke-width='2'/>")
        if len(points) <= MARKED:
            out += [f"<circle cx='{x_at(x):.1f}' cy='{y_at(y):.1f}' r='3' fill='{color}'/>" for x, y in points]
    for row, (label, color) in enumerate(zip(curves, COLORS * 3)):
        y = TOP + 12 + 20 * row
        out.append(f"<path d='M{LEFT + WIDTH + 12} {y}h18' stroke='{color}' stroke-width='3'/>"
                   f"<text x='{LEFT + WIDTH + 36}' y='{y + 4}'>{escape(label)}</text>")
    out.append(f"<text x='{LEFT + WIDTH / 2}' y='{TOP + HEIGHT + 45}' text-anchor='middle'>{escape(x_title)}</text>"
               f"<text transform='translate(18 {TOP + HEIGHT / 2}) rotate(-90)' text-anchor='middle'>{escape(y_title)}"
               "</text></svg>")
    path.write_text("\n".join(out) + "\n", encoding="utf-8")
    return True
