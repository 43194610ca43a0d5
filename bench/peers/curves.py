# SPDX-License-Identifier: Apache-2.0
"""Draws curves on two logarithmic axes as SVG, with Python alone."""

import math
from html import escape

WIDTH, HEIGHT, LEFT, TOP, LEGEND = 520, 400, 80, 40, 210
COLORS = ["#1b6ca8", "#6fa8dc", "#d1495b", "#e08e0b", "#3a7d44", "#8b5fbf", "#0f9d94", "#5c5c5c", "#b0568f", "#7f6a3f",
          "#2f4858", "#c0a000"]


def span(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def power(exponent):
    return f"10<tspan dy='-5' font-size='9'>{exponent}</tspan>"


def draw(path, title, x_title, y_title, curves):
    """curves: {label: [(x, y), ...]}; points that are not positive are left out."""
    curves = {label: sorted(p for p in points if p[0] > 0 and p[1] > 0) for label, points in curves.items()}
    curves = {label: points for label, points in curves.items() if points}
    if not curves:
        return False
    x_low, x_high = span([p[0] for points in curves.values() for p in points])
    y_low, y_high = span([p[1] for points in curves.values() for p in points])

    def x_at(x):
        return LEFT + WIDTH * (math.log10(x) - x_low) / (x_high - x_low)

    def y_at(y):
        return TOP + HEIGHT * (1 - (math.log10(y) - y_low) / (y_high - y_low))

    out = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{LEFT + WIDTH + LEGEND}' height='{TOP + HEIGHT + 60}' "
           "font-family='sans-serif' font-size='12'><rect width='100%' height='100%' fill='white'/>",
           f"<text x='{LEFT}' y='24' font-size='15'>{escape(title)}</text>"]
    for k in range(x_low, x_high + 1):
        x = x_at(10.0**k)
        out.append(f"<path d='M{x:.1f} {TOP}V{TOP + HEIGHT}' stroke='#ddd'/>"
                   f"<text x='{x:.1f}' y='{TOP + HEIGHT + 20}' text-anchor='middle'>{power(k)}</text>")
    every = max(1, (y_high - y_low) // 10)
    for k in range(y_low, y_high + 1, every):
        y = y_at(10.0**k)
        out.append(f"<path d='M{LEFT} {y:.1f}H{LEFT + WIDTH}' stroke='#ddd'/>"
                   f"<text x='{LEFT - 8}' y='{y + 4:.1f}' text-anchor='end'>{power(k)}</text>")
    for (label, points), color in zip(curves.items(), COLORS * 3):
        line = "L".join(f"{x_at(x):.1f} {y_at(y):.1f}" for x, y in points)
        out.append(f"<path d='M{line}' fill='none' stroke='{color}' stroke-width='2'/>")
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
