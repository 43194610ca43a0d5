# SPDX-License-Identifier: Apache-2.0
"""Writes docs/papers.md and its pictures from the results of measure.py."""

import math
import re
import textwrap

from curves import draw
from measure import NAMES, length, tilt
from report import number, table


def ratio(printed, ours):
    return "–" if not printed or not ours else number(printed / ours)


def say_case(case, h=None):
    return f"`affix run {case}" + (f" --dt {h:.4g}`" if h else "`")


# ---- time per step ----

def speed_row(row):
    printed = "–" if row["ms"] is None else number(row["ms"])
    head = [row["label"], row["size"], printed]
    result = row.get("result")
    if result is None:
        return [*head, "–", "–", "–", "–", "–", row["note"]]
    if "ms_median" not in result:
        return [*head, "–", "–", "–", "–", "–", f"{result['status']}. {row['note']}"]
    remarks = [] if result["status"] == "AFX_OK" else [f"failed after {result['time']:.3g} s"]
    if result["status"] == "AFX_OK" and result["steps"] < result["wanted"]:
        remarks.append(f"{result['steps']} of {result['wanted']} steps within the limit")
    remarks += [row["note"]] if row["note"] else []
    return [*head, f"{result['bodies']:,}, {result['rows']:,}", number(result["ms_median"]),
            ratio(row["ms"], result["ms_median"]), number(result["solves"]), number(result["residual"]), "; ".join(remarks)]


def speed_part(part):
    head = ["scene", "printed: links, rows", "printed, ms", "ours: bodies, rows", "ours, ms", "printed / ours", "iterations",
            "max violation", "remark"]
    commands = "\n".join(f"- {row['label']}: {say_case(row['ran'], row['h'])}" for row in part["rows"] if "ran" in row)
    return f"## {part['title']}\n\n{part['text']}\n\n{table(head, [speed_row(r) for r in part['rows']])}\n\n{commands}\n"


def single_part(results):
    got, printed = results["single"].get("methods", {}), results["printed_single"]
    rows = [("Affix, BDF2", "affix-bdf2", None), ("Affix, BDF1", "affix-bdf1", None),
            ("M-ABD, polar decomposition", "mabd-paper", "polar"), ("M-ABD, Eq. 17 in its place", "mabd-paper-nopolar", "nopolar"),
            ("vanilla ABD, implicit", "abd-vanilla", "vanilla"), ("rigid body, implicit", "rigid-implicit", "implicit"),
            ("rigid body, explicit", "rigid-explicit", "explicit")]
    base = got.get("mabd-paper", {}).get("ms")
    lines = [[label, number(printed.get(key)) if key else "–", ratio(printed[key], printed["polar"]) if key else "–",
              number(got[name]["ms"]), ratio(got[name]["ms"], base)] for label, name, key in rows if name in got]
    rolling = results["single"].get("rolling", {})
    if "ms_mean" in rolling:
        total = rolling["ms_mean"] * rolling["steps"]
        lines.append(["Affix, BDF2, rolling on a plane with friction (`rolling`)", "–", "–", number(total), ratio(total, base)])
    head = ["method", "printed, ms", "printed, of M-ABD's", "here, ms", "here, of M-ABD's"]
    return f"""## M-ABD, Fig. 2: {results['single'].get('steps', 0):,} steps of one body

Printed are totals for 10,000 steps of a rolling cylinder on an "i7". Here a cylinder moves and turns at the pace of one that
rolls, without the contact, of which the paper does not say how it is made; the least of several rounds that take turns, processor
time. All are in C in one program (`build/bench_papers single`); M-ABD's constant matrix is applied by the closed form of its
inverse, vanilla ABD iterates to 1e-6, the rigid implicit step to 1e-12. Affix's step includes its report and checks.

{table(head, lines)}

That Eq. 17 saves time does not show here: its square roots and divisions, for each vector that is turned, cost what the polar
decomposition of a matrix that is nearly a rotation does.
"""


# ---- single bodies ----

def body_rows(part, unit):
    return [[NAMES[run["method"]], f"{run['h']:g}", number(run.get("worst")), number(run.get("end")),
             number(energy_change(run))] for run in part["runs"] if "rows" in run]


def energy_change(run):
    first, last = run["rows"][0]["energy"], run["rows"][-1]["energy"]
    return (last - first) / (abs(first) or 1)


def body_section(part, title, what, unit, text):
    zero = part["reference"]["rows"][0]["energy"] == 0
    head = ["method", "h, s", f"largest {what}{unit}", f"{what} at the end{unit}",
            "energy change, J" if zero else "energy, relative change"]
    return (f"### {title}\n\n`{part['case']}`, {part['time']:g} s. {text}\n\n{table(head, body_rows(part, unit))}\n")


def curves_of(part, value, h):
    """{method: [(t, value)]} of the runs with that step, and the reference."""
    out = {NAMES[run["method"]]: [(row["t"], value(row)) for row in run["rows"]]
           for run in part["runs"] if "rows" in run and abs(run["h"] - h) < 1e-12}
    if "rows" in part["reference"]:
        out["reference"] = [(row["t"], value(row)) for row in part["reference"]["rows"]]
    return out


def picture(folder, name, title, y_title, curves, scales=("linear", "linear"), x_title="t, s"):
    folder.mkdir(parents=True, exist_ok=True)
    drawn = draw(folder / f"papers-{name}.svg", title, x_title, y_title, curves, scales)
    return f"![{title}](images/papers-{name}.svg)\n" if drawn else ""


def bodies_part(results, images):
    bodies = results["bodies"]
    axis = max(range(3), key=lambda k: abs(bodies["handle"]["reference"]["rows"][0]["omega"][k]))
    shots = [
        picture(images, "box", "Angular momentum of a spinning cube, h = 0.01 s", "|L|, kg m²/s",
                curves_of(bodies["box"], lambda r: length(r["momentum"]), 0.01)),
        picture(images, "handle", "T-handle: rate about the intermediate axis, h = 0.01 s", "rad/s",
                curves_of(bodies["handle"], lambda r: r["omega"][axis], 0.01)),
        picture(images, "top", "Heavy top: nutation angle, h = 0.01 s", "degrees", curves_of(bodies["top"], tilt, 0.01)),
        picture(images, "pendulum", "Pendulum: angle below the horizontal, h = 0.01 s", "rad",
                curves_of(bodies["pendulum"], lambda r: math.atan2(-r["marker"][2], r["marker"][0]), 0.01)),
    ]
    return f"""## M-ABD, Figs. 7 to 10: single bodies

The paper shows curves and prints no numbers, so the truth stands beside both: Runge-Kutta of order four with h = 1e-4 s of Euler's
equations, as in the paper (the tests put the pendulum beside its elliptic functions as well). "M-ABD as published" is
our implementation of its equations ([below](#the-published-step-where-it-fails)); the rigid implicit baseline is implicit Euler of the
rotation matrix, in maximal coordinates. Affix with BDF1 has to agree with it but for the bodies' elasticity, and does.

{body_section(bodies["box"], "Fig. 7: spinning cube", "momentum lost", "", "The printed angular momentum of 100 kg m²/s would turn a cube of 0.1 m and 1 kg at 60,000 rad/s; here it turns at 10 rad/s.")}
{shots[0]}
{body_section(bodies["handle"], "Fig. 8: T-handle", "error of ω", ", rad/s", "3 rad/s about the intermediate axis as printed; their asymmetry is not, so 0.05 rad/s about the others starts the flips.")}
{shots[1]}
{body_section(bodies["top"], "Fig. 9: heavy top", "error of the nutation angle", ", degrees", "10 rad/s and a tilt of 5 degrees as printed; sizes are ours.")}
{shots[2]}
{body_section(bodies["pendulum"], "Fig. 10: physical pendulum", "error of the angle", ", rad", "A rod of 1 x 0.1 x 0.1 m released from the horizontal (the paper prints no sizes).")}
{shots[3]}
The energy includes that of strain, which is where M-ABD's step gains: its bodies are stretched by every turn.

M-ABD's one Newton step moves points along the tangent. That keeps the angular momentum which implicit Euler, whose equations it solves
in part, loses, and so its single bodies turn better than the integrator would have them; the stretch, and the stress that goes with
it, is what it costs. The paper's own curves of Fig. 7 lose momentum like its implicit baseline, which suggests that it iterated
there: converged, the step is implicit Euler, as vanilla ABD is. BDF2 is accurate and converged.
"""


# ---- where the published step fails ----

FORMULATIONS = {"affix": "Affix, BDF2", "affix-accurate": "Affix, BDF2, accurate", "mabd-paper": "M-ABD as published", "abd-vanilla": "vanilla ABD"}


def at_time(run, t):
    return min(run["rows"], key=lambda row: abs(row["t"] - t))


def outcome(run):
    if "status" in run and "ms_median" not in run:
        return run["status"]
    return "" if run["status"] == "AFX_OK" else f"fails at {run['time']:.3g} s"


def failure_part(results, images):
    chain = [run for run in results["failure"]["chain"] if "rows" in run]
    end = min(run["rows"][-1]["t"] for run in chain)
    times = [end * k / 4 for k in range(1, 5)]
    rows = [[NAMES[run["method"]], f"{run['h']:g}", *(number(at_time(run, t)["energy"] - run["rows"][0]["energy"]) for t in times),
             number(run["residual"]), "failed" if run["failed"] else ""] for run in chain]
    shot = picture(images, "failure", "Chain of 100: energy gained or lost, h = 0.01 s", "|E - E0|, J",
                   {NAMES[run["method"]]: [(r["t"], abs(r["energy"] - run["rows"][0]["energy"])) for r in run["rows"][1:]]
                    for run in chain if run["h"] == 0.01}, ("linear", "log"))
    heavy = [[run["start"], f"{run['h']:g}", FORMULATIONS[run["formulation"]], number(run.get("ms_median")),
              number(run.get("residual")), number(run.get("gain")), number(run.get("solves")), outcome(run)]
             for run in results["failure"]["heavy"]]
    nets = [[FORMULATIONS[run["formulation"]], number(run.get("ms_median")), number(run.get("residual")), number(run.get("gain")),
             outcome(run)] for run in results["failure"]["nets"]]
    return f"""## The published step: where it fails

`--formulation mabd-paper` is M-ABD's Eqs. 13 to 16 with 26 to 28: from the old state, one Newton step with the Hessian of linear
elasticity in the old rotation, joints by multipliers, right-hand side −C(q) as in its footnote. `mabd-paper-nopolar` has Eq. 17 and
Alg. 1 in place of the polar decomposition, `abd-vanilla` the energy of Eq. 3 and Newton steps until they are small. Eq. 15 is taken
with RᵀA where A is printed, as it would otherwise see a strain in every rotation.

A hundred capsules of 0.1 m on ball joints, E = 1e8 Pa, are let go from the horizontal: energy above that of the start, J.

{table(["method", "h, s", *(f"{t:g} s" for t in times), "max violation", ""], rows)}

{shot}
Joints are met to rounding all the while; the bodies are what goes wrong. Two things are missing in the step:

1. A light link under a tension T has a stiffness T L across it. The Hessian in the old rotation has no such term, so this mode is
   integrated explicitly and grows once h √(T/(m L)) exceeds 2: with the number of links, the end mass and the step.
2. The new matrix is the old rotation times I + [θ]ₓ, which is longer by θ²/2: a strain, and with E a stress, that is not there.

More Newton steps do not help (`--iterations`): the first puts the state where the second starts from. Affix solves in the rotation that
the step predicts, and adds that stiffness, first by a bound and then exactly ([joints.md](joints.md#geometric-stiffness)). Eq. 17
breaks more: what is turned forth and back by a strained A has another direction, so that joints hold only
roughly and a falling body drifts sideways.

Fig. 11, a chain of 100 with an end of 10,000 times a link's mass that is let go folded up, 3 s; the largest energy above the start's
tells who makes energy of nothing. The fall of the end sets some 4e4 J free:

{table(["start", "h, s", "method", "ms per step", "max violation, m", "energy gained, J", "iterations", ""], heavy)}

The paper says of its own method that it stays stable at both steps; as published, it does stay finite.

Fig. 12, the net of 10 x 10 with h = 1/30 s, 5 s:

{table(["method", "ms per step", "max violation, m", "energy gained, J", ""], nets)}
"""


# ---- the quaternion paper ----

def integrator_rows(runs):
    return [[NAMES[run["method"]], f"{run['h']:g}", number(energy_change(run)), number(run["residual"])] for run in runs if "rows" in run]


def integrator_curves(runs):
    return {NAMES[run["method"]]: [(r["t"], abs(r["energy"] / run["rows"][0]["energy"] - 1)) for r in run["rows"][1:]]
            for run in runs if "rows" in run}


def radii(run):
    """Distance of the middle of a link from the sphere's centre, which flies freely."""
    return [(row["t"], math.hypot(row["place"][0], row["place"][1], row["place"][2] - 10 * row["t"] + 4.905 * row["t"]**2))
            for row in run["rows"]]


def openings(points):
    """Times at which the sphere is widest, by parabolas through the largest of three."""
    return [t1 + 0.5 * (t1 - t0) * (a - c) / (a - 2 * b + c)
            for (t0, a), (t1, b), (_, c) in zip(points, points[1:], points[2:]) if b > a and b >= c]


def hoberman_rows(runs):
    rows = []
    for run in runs:
        points = radii(run)
        found = openings(points)
        later = [radius for t, radius in points if found and t > found[-1] - 0.45]
        rows.append([NAMES[run["method"]], f"{run['h']:g}", f"{found[0]:.4f}" if found else "–",
                     f"{(found[-1] - found[0]) / (len(found) - 1):.4f}" if len(found) > 1 else "–",
                     f"{points[0][1]:.4f}", f"{min(later):.4f}" if later else "–", number(run["residual"])])
    return table(["method", "h, s", "first widest at, s", "then every, s (mean)", "radius at the start, m", "least in the last swing, m",
                  "max violation"], rows)


def spin_tables(results):
    rows = []
    for hinged in (True, False):
        for method in ("affix-bdf2", "affix-bdf1", "rigid-explicit"):
            for steps in (1, 10):
                runs = [r for r in results["spin"] if (r["hinged"], r["method"], r["steps"]) == (hinged, method, steps)]
                rows.append(["hinge" if hinged else "free", NAMES[method], str(steps),
                             *(number(r["angle_error"]) for r in runs if r["turn"] in (0.01, 0.1, 1.0)),
                             number(max(r["gap"] for r in runs)) if hinged else "–"])
    head = ["", "method", "steps", "angle error: 0.01 rad a step", "0.1", "1", "largest gap of all turns, m"]
    return table(head, rows)


def quaternion_part(results, images):
    handle, top = results["integrators"]["handle"], results["integrators"]["top"]
    spheres = [run for run in results["hoberman"] if "rows" in run]
    head = ["method", "h, s", "energy, relative change", "max violation, m"]
    shots = [
        picture(images, "integrators-handle", "T-handle: energy by method, h = 0.001 s", "|E/E0 - 1|", integrator_curves(handle), ("linear", "log")),
        picture(images, "integrators-top", "Spinning top: energy by method", "|E/E0 - 1|", integrator_curves(top), ("linear", "log")),
        picture(images, "hoberman", "Hoberman sphere: radius of the middle of a link", "m",
                {f"{NAMES[run['method']]}, h = {run['h']:g} s": radii(run) for run in spheres}),
        picture(images, "spin", "Pendulum without gravity: angle error after 10 steps", "rad",
                {NAMES[m]: [(r["turn"], r["angle_error"]) for r in results["spin"] if r["hinged"] and r["steps"] == 10 and r["method"] == m]
                 for m in ("affix-bdf2", "affix-bdf1", "rigid-explicit")}, ("log", "log"), "turn in a step, rad"),
    ]
    return f"""## Quaternion paper, Figs. 4 to 7

Curves without printed numbers. Its stiffly accurate SDIRK is ours by name; its Pareschi-Russo SDIRK is not here, as it leaves the
joints (its own Fig. 5 says so), and generalised-α stands in its place. Semi-implicit Euler is our own baseline.

### Fig. 4: T-handle, 15 rad/s, h = 1 ms

The paper's order is the same: BDF1 loses most, SDIRK2 less, BDF2 less again.

{table(head, integrator_rows(handle))}

{shots[0]}
### Fig. 5: spinning top

{table(head, integrator_rows(top))}

{shots[1]}
### Fig. 6: pendulum that turns fast, without gravity

The truth keeps turning at the rate that it starts with. Implicit methods lag behind when a step turns far, the more the larger the
turn, and hold the joint at any; the semi-implicit one leaves it.

{spin_tables(results)}

{shots[3]}
### Fig. 7: Hoberman sphere

Thrown at 10 m/s with a spin of 6 rad/s. Without losses it is widest at 0.21087 s and then every 0.42175 s, and always comes back to
the radius of the start, by the equation of its one freedom. At the widest all links of a ring lie in line, a singular position
through which it passes fast, and where a long step loses energy; their step was 10 ms.

{hoberman_rows(spheres)}

{shots[2]}"""


# ---- RedMax ----

def exponent(points):
    points = [(math.log(x), math.log(y)) for x, y in points if y]
    if len(points) < 2:
        return None
    mx, my = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def redmax_published(results):
    """RedMax's own solver, ours after its paper, beside the direct solution on the same scenes."""
    rows, slopes = [], []
    for scene in results["redmax"]["scenes"]:
        time, passes = [], []
        for row in scene["rows"]:
            got, ours = row.get("published", {}), row["result"]
            if got.get("status") != "AFX_OK":
                continue
            mean, direct = got["ms_mean"], ours.get("ms_mean")
            time.append((row["dof"], mean))
            passes.append((row["dof"], got["iterations"]))
            rows.append([scene["label"], f"{row['dof']:,}", number(row["iterations"]), number(got["iterations"]),
                         number(got["iterations"] / got["solves"]), number(mean), number(direct), ratio(mean, direct),
                         number(got["residual"]), number(ours.get("residual")), number(got["apart"])])
        slopes.append([scene["label"], number(exponent([(row["dof"], row["iterations"]) for row in scene["rows"]])),
                       number(exponent(passes)), number(exponent([(row["dof"], row["pcg"]) for row in scene["rows"]])),
                       number(exponent(time))])
    head = ["scene", "degrees of freedom", "printed iterations", "iterations a step", "of each solution", "PCG, ms a step", "ours, ms a step",
            "PCG / ours", "violation, PCG", "violation, ours", "apart, m"]
    return f"""### RedMax's own solver on the same scenes

Its linearly implicit step (Eq. 2), matrix-free by conjugate gradients with its projected block Jacobi preconditioner (Alg. 1) to a relative
residual of 1e-6, and constraints by its dual problem (Eq. 4): a solution for each row of a loop or motion that is told, and two more. Written after the
paper (`build/bench_papers redmax 0.01 500 10 bridge deck=80`), in one run with ours, one thread, scalar code. Apart: how far bodies end from where
our BDF1 has them after as many steps, which halves with the step. Its constraints hold in velocities alone, and drift.

{table(head, rows)}

Exponents over degrees of freedom:

{table(["scene", "printed iterations", "iterations", "printed time", "time, PCG here"], slopes)}

Where towers are rigid, blocks are all there is, and each of its four solutions takes one iteration, as printed: such a step, with joints of the tree
exact by construction, costs less than half of ours in twelve coordinates. Elsewhere the direct solution is ahead, and holds all joints to rounding. Flexible bridges take fewer iterations than
printed, with towers as stiff as we have them. The umbrella's printed count cannot be that of all solutions: its eight loops and its
runner have 25 rows, of which each takes one.
"""


def redmax_part(results, images):
    rows, slopes, curves = [], [], {}
    for scene in results["redmax"]["scenes"]:
        ours = []
        for row in scene["rows"]:
            result = row["result"]
            seconds = 1e-3 * result["ms_mean"] * scene["steps"] if result.get("status") == "AFX_OK" else None
            ours.append((row["dof"], seconds))
            rows.append([scene["label"], f"{row['dof']:,}", number(row["direct"]), number(row["pcg"]), number(seconds),
                         ratio(row["pcg"], seconds), ratio(row["direct"], seconds), number(result.get("ms_median")),
                         number(result.get("solves")), number(result.get("residual")), f"`{row['case']}`"])
        printed = {key: [(row["dof"], row[key]) for row in scene["rows"]] for key in ("direct", "pcg")}
        slopes.append([scene["label"], *(number(exponent(printed[key])) for key in ("direct", "pcg")), number(exponent(ours))])
        curves[f"{scene['label']}: ours"] = [p for p in ours if p[1]]
        curves[f"{scene['label']}: PCG"] = printed["pcg"]
    head = ["scene", "degrees of freedom", "printed, direct, s", "printed, PCG, s", "ours, s", "PCG / ours", "direct / ours", "ms per step",
            "iterations", "max violation", "case"]
    shot = picture(images, "redmax", "Bridge and umbrella: time for the scene", "s", curves, ("log", "log"), "degrees of freedom")
    return f"""## RedMax, Tab. 2 and Fig. 4: bridge and umbrella

{results["redmax"]["note"]}

{table(head, rows)}

Exponents of time over degrees of freedom, by least squares of logarithms; the paper prints 2.64, 2.25 and 2.07 for its direct solver, 1.01, 1.23
and 1.01 for its preconditioned conjugate gradients:

{table(["scene", "direct", "PCG", "ours"], slopes)}

{shot}
Ours is one direct factorisation of the dual matrix in every solve, springs being compliant rows of it. It is near-linear where the
graphs are narrow and no body carries many springs, and the division into pieces above was chosen so: with few pieces to a tower,
each carries more than 48 rows and is treated as a high-degree body, and from 240 degrees of freedom on steps find redundant rows there, where there are none, and
regularise them. These rows are slower, need more solves and hold their joints less exactly as the bridge grows. For the same reason the cables end on the upper
third of a tower, as on most bridges, and not all at its top.

{redmax_published(results)}"""


HEAD = """# The papers, ours beside theirs

<!-- Written by tools/papers: `make papers` writes it anew. Do not edit. -->

What five publications print about their methods, and what Affix does on the same kind of scene. `make papers` measures and
writes this page in {minutes:.0f} minutes{priority}{kind}.

Machine: {machine}. One thread, processor time. **Times on different machines cannot be compared by their ratio alone**:
"printed / ours" says how many of our steps fit into the printed time, not by how much a method is better. What was measured in one
run on this machine is said to be so.

The publications: *M-ABD: Scalable, Efficient, and Robust Multi-Affine-Body Dynamics* (2026; "M-ABD"); *A Versatile Quaternion-based
Constrained Rigid Body Dynamics* (2025; "quaternion paper"); *RedMax: Efficient & Flexible Approach for Articulated Dynamics* (2019); *Affine
Body Dynamics: Fast, Stable and Intersection-free Simulation of Stiff Materials* (2022; vanilla ABD); *GPU Constraint Solver, Part 1* (a post on chains of beads).

```sh
make papers                               # all of it
make papers PAPERS_ARGS="--out FOLDER"    # the page and its pictures there
make papers PAPERS_ARGS=--quick           # small sizes and short runs, into build/papers
build/affix run chain --formulation mabd-paper --dt 0.01    # a published formulation
```

Max violation: the worst that a joint was off after any step, in m, 1 or rad. Iterations: the mean per body and step.
"""


def again(results):
    parts = sorted(set(results.get("again", [])))
    return f"; measured again by themselves since: {', '.join(parts)}" if parts else ""


def wrapped(text):
    """Paragraphs filled to the width of the other documents; tables, headings, lists, pictures, code and comments stay."""
    blocks = [block if block.lstrip()[:1] in ("|", "#", "-", "<", "!", "1") or block.startswith("```") else
              textwrap.fill(block, 128, break_long_words=False, break_on_hyphens=False)
              for block in re.split(r"\n\n+", text.strip("\n"))]
    return "\n\n".join(block.strip("\n") for block in blocks) + "\n"


def write(results, document, images):
    head = HEAD.format(minutes=results["minutes"], machine=results["machine"],
                       priority=" (with real-time priority)" if results["realtime"] else "",
                       kind="; this was a quick run with small sizes, which shows nothing" if results["quick"] else again(results))
    speed = {part["id"]: speed_part(part) for part in results["speed"]}
    parts = [head, speed["mabd-table"], single_part(results), bodies_part(results, images), failure_part(results, images),
             speed["mabd-nets"], speed["quaternion-table"], quaternion_part(results, images), redmax_part(results, images),
             speed["gpu-beads"], speed["abd-table"]]
    document.write_text(wrapped("\n\n".join(parts)), encoding="utf-8")
