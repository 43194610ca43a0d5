# SPDX-License-Identifier: Apache-2.0
"""Writes docs/comparison.md from the results: tables, curves, and where others are ahead."""

from curves import draw

LEVELS = [1e-3, 1e-4, 1e-6]  # of a link, for gaps
ERRORS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5]  # m, for the marker
GAINS = 5  # an energy error of so many times what fell is no simulation of it any more
MARGIN = 1.1  # ahead: better by more than this factor


def number(value, digits=2):
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e4:
        return f"{value:.{digits + 1}g}" if abs(value) < 1000 else f"{value:,.0f}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def remark(result):
    status = result["status"]
    if status == "ok":
        return ("joints torn" if result["gap"] >= 0.1 else
                "gains energy without end" if result.get("energy_relative", 0) > GAINS else "")
    if status == "incomplete":
        return f"time limit at t = {result['time']:.3g} s"
    if status in ("not finite", "failed"):
        return f"{status} at t = {result['time']:.3g} s"
    return f"{status}: {result['why']}"


def gap_text(result):
    if "own_gap" in result:
        return f"{number(result['gap'])} ({number(result['own_gap'])})"
    return number(result.get("gap"))


def scene_rows(entry, h, contenders):
    rows = []
    for result in entry["results"]:
        if result["h"] == h:
            rows.append([contenders[result["contender"]]["label"], number(result.get("ms_median")),
                         number(result.get("ratio")), gap_text(result), number(result.get("energy_relative")),
                         number(result.get("error")), remark(result)])
    return rows


def scene_tables(results):
    out = []
    head = ["engine", "ms per step", "times ours", "largest gap, m", "energy error", "marker off at 1 s, m", "remark"]
    for entry in results["scenes"]:
        scene, reference = entry["scene"], entry["reference"]
        sizes = next((f"{r['bodies']:,} bodies, {r['joints']:,} joints; " for r in entry["results"] if "bodies" in r), "")
        for h in scene["h"]:
            out.append(f"### {scene['title']}, h = {h:.3g} s\n")
            known = (f"The reference is known to {number(reference['uncertainty'])} m (its step {reference['h']:g} s and "
                     "the doubled one)." if reference else "No reference was run.")
            if h != scene["h"][0]:
                out.append(table(head, scene_rows(entry, h, results["contenders"])) + "\n")
                continue
            out.append(f"`affix run {' '.join(scene['case'])}`: {sizes}{scene['time']:g} s simulated. {known}\n")
            out.append(table(head, scene_rows(entry, h, results["contenders"])) + "\n")
    return "\n".join(out)


def cheapest(results, name, good):
    fits = [r for r in results if r["contender"] == name and r["status"] == "ok" and good(r)]
    return min(fits, key=lambda r: r["seconds_per_second"]) if fits else None


def cell(best, ours, released):
    if best is None:
        return "not reached"
    setting = f"h = {best['h']:.2g}" + "".join(f", {w.lstrip('-')}" if w.startswith("--") else f" {w}" for w in best["setting"])
    ratio = f", {number(best['seconds_per_second'] / ours['seconds_per_second'])} x ours" if ours else ""
    wild = ", gains energy" if released and best["energy_error"] > released else ""
    return f"{number(1e3 * best['seconds_per_second'])} ({setting}{ratio}{wild})"


def level_bests(entry, levels, good):
    """For every level: {contender: its cheapest run that reaches it}, and the cheapest of ours."""
    out = []
    for level in levels:
        bests = {name: cheapest(entry["results"], name, lambda r, level=level: good(r, level))
                 for name in entry["sweep"]["settings"]}
        ours = [best for name, best in bests.items() if name.startswith("affix") and best]
        out.append((bests, min(ours, key=lambda r: r["seconds_per_second"]) if ours else None))
    return out


def level_table(entry, contenders, head, bests):
    """Rows: contenders; columns: levels; the cheapest setting that reaches each."""
    released = (entry["reference"] or {}).get("potential_range")
    rows = [[contenders[name]["label"], *(cell(best[name], ours, released) for best, ours in bests)]
            for name in entry["sweep"]["settings"]]
    return table(["engine", *head], rows)


def by_gap(entry):
    return level_bests(entry, LEVELS, lambda r, level: r["gap"] <= level * entry["sweep"]["link"])


def by_error(entry):
    return level_bests(entry, ERRORS, lambda r, level: r.get("error", 1e300) <= level)


def sweep_tables(results):
    out, contenders = [], results["contenders"]
    for entry in results["sweeps"]:
        title = entry["sweep"]["title"]
        out.append(f"### {title}: by joint gap\n")
        out.append(level_table(entry, contenders, [f"gap <= {level:g} of a link" for level in LEVELS], by_gap(entry)) + "\n")
        out.append(f"### {title}: by error of the marker at 1 s\n")
        if entry["reference"]:
            out.append(f"The reference is known to {number(entry['reference']['uncertainty'])} m.\n")
        out.append(level_table(entry, contenders, [f"<= {level:g} m" for level in ERRORS], by_error(entry)) + "\n")
    return "\n".join(out)


def cheaper_for_precision(results):
    """Where another engine reaches a level with less work than any setting of ours."""
    lines = []
    for entry in results["sweeps"]:
        kinds = [(by_gap(entry), LEVELS, "a gap of {:g} of a link"), (by_error(entry), ERRORS, "an error of {:g} m")]
        for bests, levels, what in kinds:
            for (best, ours), level in zip(bests, levels):
                for name, run in best.items():
                    if run and not name.startswith("affix") and (
                            ours is None or run["seconds_per_second"] * MARGIN < ours["seconds_per_second"]):
                        share = f"{number(run['seconds_per_second'] / ours['seconds_per_second'])} of our work" if ours else (
                            "which we do not reach")
                        lines.append(f"- {entry['sweep']['title']}, {what.format(level)}: "
                                     f"{results['contenders'][name]['label']}: {share}.")
    return lines


MEASURES = [("ms_median", "time per step"), ("gap", "gap of poses"), ("energy_relative", "energy error"),
            ("error", "marker at 1 s")]


def others_ahead(results):
    """Every number of a table in which another engine is better than our default, and by how much."""
    contenders, lines = results["contenders"], []
    for entry in results["scenes"]:
        for h in entry["scene"]["h"]:
            rows = [r for r in entry["results"] if r["h"] == h]
            ours = next((r for r in rows if contenders[r["contender"]].get("ours")), None)
            if ours is None or ours["status"] not in ("ok", "incomplete"):
                lines.append(f"- {entry['scene']['title']}, h = {h:.3g} s: our own run is {ours and ours['status']}.")
                continue
            for row in rows:
                if row["status"] not in ("ok", "incomplete") or contenders[row["contender"]]["label"].startswith("Affix"):
                    continue
                # Errors of a run that ended early are those of an easier problem.
                measures = MEASURES if row["status"] == ours["status"] == "ok" else MEASURES[:1]
                better = [f"{name} {number(ours[key] / row[key])} times smaller" for key, name in measures
                          if key in row and key in ours and row[key] > 0 and row[key] * MARGIN < ours[key]]
                if better and remark(row):
                    better[-1] += f" ({remark(row)})"
                if better:
                    lines.append(f"- {entry['scene']['title']}, h = {h:.3g} s: {contenders[row['contender']]['label']}: "
                                 + ", ".join(better) + ".")
    lines += cheaper_for_precision(results)
    return "\n".join(lines) if lines else "In no row of this run."


def curve_points(results, group, key, h):
    """Times of all runs; gaps only of complete ones, as those of a short run are smaller."""
    curves, enough = {}, ("ok", "incomplete") if key == "ms_median" else ("ok",)
    for entry in results["scenes"]:
        if entry["scene"].get("group") == group:
            for row in entry["results"]:
                if row["h"] == h and key in row and row["status"] in enough:
                    label = results["contenders"][row["contender"]]["label"]
                    curves.setdefault(label, []).append((entry["scene"]["size"], row[key]))
                    if key == "gap" and "own_gap" in row:
                        curves.setdefault(f"{label}: affine bodies", []).append((entry["scene"]["size"], row["own_gap"]))
    return curves


def pictures(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    out = []
    for group, title in (("chain", "Chains"), ("net", "Nets")):
        for key, unit, name in (("ms_median", "ms per step", "time"), ("gap", "largest gap of poses, m", "gap")):
            file = f"peers-{group}-{name}.svg"
            if draw(folder / file, f"{title}, h = 0.01 s", "bodies", unit, curve_points(results, group, key, 0.01)):
                out.append(f"![{title}: {unit} over bodies](images/{file})\n")
    return "\n".join(out)


def settings_table(results):
    rows = []
    for name, contender in results["contenders"].items():
        runs = [r for entry in results["scenes"] + results["sweeps"] for r in entry["results"] if r["contender"] == name]
        version = next((r["version"] for r in runs if "version" in r), "did not run")
        rows.append([contender["label"], version, contender.get("setting", "")])
    return table(["engine", "version", "setting"], rows)


def independent_check(results):
    """How far the most accurate run of Simbody is from our reference, where there is one."""
    lines = []
    for entry in results["sweeps"]:
        runs = [r for r in entry["results"] if r["contender"] == "simbody" and "error" in r]
        if runs:
            best = runs[-1]
            lines.append(f"\n  Simbody with accuracy {best['setting'][-1]} is {number(best['error'])} m from it "
                         f"({entry['sweep']['title'].lower()}).")
    return "".join(lines)


TEXT = """# Comparison with other engines

Written by `make peers` from one run of {minutes:.0f} minutes ({kind}{priority}); do not edit.
Times are processor time of one thread. Only ratios within a table mean anything: the machine was not otherwise idle.

```sh
make peers                  # the short set: {limit}
make peers FULL=1           # the long scenes too, and twenty minutes of steps for a run
tools/peers --only net      # some scenes, printed only
```

## What is compared

The scenes are built-in cases of Affix. `peer_affix --scene` writes each as one file of rigid bodies (mass, inertia, pose) and
ball joints (a point on either body), and every engine builds its scene from that file. A link of a chain is a capsule of
0.1 m between its joints and 0.01 m radius, of 0.0356 kg. Nothing collides, nothing is damped, nothing sleeps, and gravity is
9.81 m/s².

- **ms per step**: the median of all steps, without building the scene. **times ours**: divided by Affix's in the same table,
  which runs first and last; its row is the mean of the two.
- **largest gap**: the largest distance between the two points of any joint after any step, computed from the poses that the
  engine reports, by the same code for all. For Affix, in brackets, the same with the affine bodies that the step solves for:
  a body's matrix is a rotation only up to the tolerance of the step, and its pose is the nearest one.
- **energy error**: the largest difference from the energy at the start after any step, divided by the potential energy that
  was released in Affix's run.
- **marker off at 1 s**: how far the free end (of a net its free corner, of a ring its far side) is from a reference: our
  generalised-α method, accurate, with a small step.{check}

{settings}

WASM: the engine is an npm package in WebAssembly, run by Node.js with the optimising compiler only (`--no-liftoff`), which
serves it best. Native builds of these two engines are likely several times faster, which was not measured; their gaps and
errors would be the same but for rounding.{wasm_note}

Not comparable, or not compared:

- Tree coordinates (Bullet multibody, Rapier multibody, Simbody, MuJoCo) have no gap where there is no loop: their gap is
  rounding, and what they do wrong is in the energy.
- Simbody chooses its own steps. Its ms per step are those for a time h.
- Rapier and Jolt are single precision; a gap below some 1e-6 m cannot be had far from the origin.
- Scenes where an engine's algorithm has no chance within the limit are left out: ODE's dense solver, Bullet's multibody and
  Simbody on large nets, Rapier's multibody on all but the shortest chain (0.4 s a step for 100 links).
- MuJoCo's files cannot nest more than about 95 bodies: it runs the shortest chain and the smallest net.
- Box3D, DART and PhysX were not run, nor were stacks of boxes.

## Where others are ahead

Every number in which an engine is better than Affix's default by more than 10 %, also where the rest of its run is
wrong; and every level of precision that one reaches with less work than any of our settings:

{ahead}

## Curves

{pictures}
## Scenes

{scenes}
## Work for a given precision

Processor milliseconds for one simulated second with the cheapest setting of each engine's step and iterations that reaches
the level, over a simulated second. "Not reached": by no setting that was tried{sweep_limit}.

{sweeps}"""


def write(results, path, images):
    full = results["full"]
    wasm = [r for entry in results["scenes"] for r in entry["results"] if r["contender"].startswith("jolt")]
    note = ("\nMost of Jolt's time here goes into its point constraints' set-up and position iterations: 1, 10 or 30 velocity\n"
            "iterations take nearly the same." if wasm else "")
    text = TEXT.format(minutes=results["minutes"], kind="the full set" if full else "the short set",
                       priority=", with real-time priority" if results["realtime"] else "",
                       limit="about 8 minutes on two cores; a run ends after 3 s of steps", settings=settings_table(results),
                       wasm_note=note, check=independent_check(results), ahead=others_ahead(results), pictures=pictures(results, images),
                       scenes=scene_tables(results), sweep_limit="" if full else " within 3 s of processor time",
                       sweeps=sweep_tables(results))
    path.write_text(text.rstrip() + "\n", encoding="utf-8")
