# SPDX-License-Identifier: Apache-2.0
"""Writes docs/comparison.md and the short table of README.md from the results."""

from ahead import others_ahead, short_table
from curves import draw
from tables import number, scene_tables, sweep_tables, table

BEGIN, END = "<!-- peers: begin (written by make peers) -->", "<!-- peers: end -->"


def curve_points(results, group, key, h):
    """Times of all runs; gaps only of complete ones, as those of a short run are smaller."""
    curves, enough = {}, ("ok", "incomplete") if key == "ms" else ("ok",)
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
        for key, unit, name in (("ms", "ms per step", "time"), ("gap", "largest gap of poses, m", "gap")):
            file = f"peers-{group}-{name}.svg"
            if draw(folder / file, f"{title}, h = 0.01 s", "bodies", unit, curve_points(results, group, key, 0.01)):
                out.append(f"![{title}: {unit} over bodies](images/{file})\n")
    return "\n".join(out)


def all_runs(results):
    return [r for entry in results["scenes"] + results["sweeps"] for r in entry["results"]]


def settings_table(results):
    rows = []
    for name, contender in results["contenders"].items():
        version = next((r["version"] for r in all_runs(results) if r["contender"] == name and "version" in r), "did not run")
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


def factor_table(results):
    """The same engine native and in WebAssembly, on the same scene and step in the same run."""
    rows = []
    for entry in results["scenes"]:
        for row in entry["results"]:
            twin = results["contenders"][row["contender"]].get("twin")
            pair = [r for r in entry["results"] if r["contender"] == twin and r["h"] == row["h"]]
            if pair and "ms" in row and "ms" in pair[0]:
                rows.append([results["contenders"][row["contender"]]["label"], f"{entry['scene']['title']}, h = {row['h']:.3g} s",
                             number(pair[0]["ms"]), number(row["ms"]), number(row["ms"] / pair[0]["ms"])])
    if not rows:
        return "It was not measured in this run."
    return table(["engine", "scene", "native, ms per step", "WebAssembly, ms per step", "factor"], rows)


TEXT = """# Comparison with other engines

Written by `make peers` from one run of {minutes:.0f} minutes{processor} ({kind}{priority}){added}; do not edit.
Times are processor time of one thread. The machine was busy with other work meanwhile, so only ratios of processor times
within one table count, and those of a few microseconds per step less than the others.

{short}

In brackets: the gap of our affine bodies, see [the two gaps of Affix](#the-two-gaps-of-affix).

```sh
make peers                  # the short set: {limit}
make peers FULL=1           # the long scenes too, and twenty minutes of steps for a run
make peers WASM=1           # Affix in WebAssembly too, with Emscripten from Debian
tools/peers --only net      # some scenes, printed only; with --keep they take their places in this page
```

## What is compared

The scenes are built-in cases of Affix, and one robot. `peer_affix --scene` writes each as one file of rigid bodies (mass,
inertia, pose, velocity), joints (a frame on either body) and shapes, and every engine builds its scene from that file. A link
of a chain is a capsule of 0.1 m between its joints and 0.01 m radius, of 0.0356 kg. Nothing is damped or driven, nothing
sleeps; where the table has no overlap, nothing collides.

- The slider-crank has no motor here, and the Panda (MuJoCo Menagerie, without its hand) falls from its home posture without
  motors, dampers, armature, stops and contact. It is left out where its file is not there.
- Ragdolls have no springs in their joints here. The cylinder under the net has round ends, beyond the net. Friction
  coefficients are those of the cases, restitution is 0. With contact the bodies of Affix have the Young's modulus of the
  case: the ragdolls' net hangs taut between four fixed corners, which no rigid net could do.

What the columns say:

- **ms per step**: the median of all steps, with contact the mean, without building the scene. **times ours**: divided by
  Affix's in the same table, which runs first and last; its row is the mean of the two.
- **largest gap**: the largest distance after any step between points that a joint should keep together, computed from the
  poses that the engine reports, by the same code for all: the joint's origin and, for joints that hold directions, points
  {reach} m from it. For Affix, in brackets, the same with the affine bodies.
- **energy error**: the largest difference from the energy at the start after any step, divided by the potential energy that
  was released in Affix's run. **energy gained**: only what was more than at the start, as contact
  dissipates, divided by the weight of the scene: so far it would be lifted.
- **marker off at 1 s**: how far the free end (of a net its free corner, of a ring its far side; of a mechanism its marker) is
  from a reference: our generalised-α method, accurate, with a small step; for the Panda Simbody's, as errors grow fast there.{check}
- **ms per s, gap <= 0.001** and so on: processor milliseconds for a simulated second by the cheapest run whose gap stays
  below that part of a link, among the runs of the table and of [the sweeps](#work-for-a-given-precision). A dash: the run of
  the table does not reach it, and no finer one was tried.
- **overlap**: how deep two shapes lie in each other, computed from poses by code of its own (exact distances of segments,
  boxes and planes), not by any engine's; the deepest after any step, and after the last.

{settings}

Each engine was given the step of the table and its own best setting within reason; iterations and steps are varied in the
sweeps.

### What WebAssembly costs

Engines marked WASM are npm packages in WebAssembly, run by Node.js with the optimising compiler only (`--no-liftoff`), which
serves them best; compiling is left out of the times. What a native build would gain can be seen where both are there. Affix
in WebAssembly is the same source (two lanes, by Emscripten), beside the native one with what this processor has. MuJoCo's two
are different versions, and Debian's native one is often the slower one.

{factors}

By our own engine, a native Jolt, Rapier or PhysX may be some {factor_text} times faster than its row; gaps and errors would be
the same but for rounding.{wasm_note}

### The two gaps of Affix

A body of Affix is affine: a point X of it is at p + A X, and the step solves for p and A with the joints as exact rows of these
points. A is a rotation only up to the tolerance of the step; in fast mode some 1e-6 to 1e-4 of strain are left. The pose that
is reported is p and the rotation nearest to A. So the same state has two gaps: that of the affine points, which is rounding,
and that of the poses, which is the strain times half a link. Whoever attaches geometry by the affine frame
(`afx_sim_control_points`, `afx_sim_coordinates`) sees the first; whoever takes position and rotation sees the second.
AFX_ACCURATE makes the strain, and the second gap, smaller at more iterations per step.

The nearest rotation is already the best choice for a body by itself: a link that is too long by some part sticks out at both
ends, and another rotation or origin makes one end worse. Only poses chosen together could do better: along a tree, each
placed on its parent by the joint's coordinates, they would meet exactly, and their error would add up towards the ends instead.

With contact the bodies are elastic on purpose, and the gap of poses shows how far they stretch. The affine gap of a hinge or
slide also has the difference of the two bodies' strains along its axis.

### Not comparable, or not compared

- Tree coordinates (Bullet multibody, Rapier multibody, Simbody, MuJoCo, DART) have no gap where there is no loop: their gap is
  rounding, and what they do wrong is in the energy. They close loops of hinges by two points on the axis.
- Simbody chooses its own steps. Its ms per step are those for a time h.
- Jolt in WebAssembly has not the memory for a chain of 100,000.
- Rapier, Jolt and PhysX are single precision; a gap below some 1e-6 m cannot be had far from the origin.
- Scenes where an engine's algorithm has no chance within the limit are left out: ODE's dense solver, Bullet's multibody, DART
  and Simbody on large nets, Rapier's multibody on all but the shortest chain (0.4 s a step for 100 links).
- MuJoCo 2 cannot nest more than about 95 bodies in a file. On falling rods and nets with contact it is too slow or blows up.
- Rapier has no universal joint, so it does not take part in the bowl; that of Bullet cannot turn beyond a right angle.
- DART ends itself (abort) when a state is not finite.
- Contact in Simbody and DART was not tried. Box3D is not to be had from Debian or npm.

## Where others are ahead

Every number in which an engine is better than Affix's default by more than 10 %, also where the rest of its run is
wrong; and every level of precision that one reaches with less work than any of our settings:

{ahead}

Why:

- **Contact: time per step.** Bullet, ODE, Jolt, Rapier and PhysX do a fixed number of sweeps over the joints and contacts of a
  step, whether these hold then or not; their time is linear in the number of both. Affix solves all joints and contacts of a
  step together until forces and contacts agree, with a factorisation for every change of what touches or slides. That
  keeps nets and ragdolls together, where the sweeps leave them centimetres to a metre apart, and costs many times more.
- **Gap of poses in trees.** Joint coordinates have none by construction.
- **Energy and marker at a large step.** Simbody and MuJoCo (Runge-Kutta, order 4 and 5) have a higher order than BDF2, which
  damps fast motion; they pay for it with four and more evaluations a step, and with loops by much more. Where nothing
  is stiff, as in chains of ten and the Panda, that is the better bargain for small errors.
- **Robots: small trees of hinges.** Seven hinges are seven joint coordinates for MuJoCo, Bullet's multibody, DART and Simbody; for
  Affix they are seven bodies of twelve coordinates and 35 rows, which pays only with loops, many bodies or large steps. On the
  Panda these engines are ahead in time at every level of precision.
- **Time per step of single loops.** ODE's dense solver does one explicit step with one linear solve of a few rows; Affix
  iterates until rotations settle. ODE loses it again in energy and marker at the same step.

## Curves

{pictures}
## Scenes

{scenes}
## Work for a given precision

Processor milliseconds for one simulated second with the cheapest setting of each engine's step and iterations that reaches
the level, over a simulated second. "Not reached": by no setting that was tried{sweep_limit}.

{sweeps}"""


def factor_range(results):
    """Of Affix, whose two builds are the same source."""
    factors = [float(line.split("|")[5]) for line in factor_table(results).splitlines() if line.startswith("| Affix")]
    return f"{min(factors):.1f} to {max(factors):.1f}" if factors else "two or three"


def added_text(results):
    """Scenes that `tools/peers --keep` put among the results."""
    names = results.get("added", [])
    return f", and of these by themselves: {', '.join(names)}" if names else ""


def processor_text(results):
    used = results.get("processor_minutes")
    return f", {used:.0f} of processor time," if used else ""


def document(results, images):
    full = results["full"]
    wasm = any(r["contender"].startswith("jolt") for r in all_runs(results))
    note = ("\nMost of Jolt's time here goes into its point constraints' set-up and position iterations: 1, 10 or 30 velocity\n"
            "iterations take nearly the same." if wasm else "")
    text = TEXT.format(minutes=results["minutes"], processor=processor_text(results), added=added_text(results), kind="the full set" if full else "the short set",
                       priority=", with real-time priority" if results["realtime"] else "", short=short_table(results),
                       limit="below 20 minutes on two cores; a run ends after 3 to 20 s of steps", reach=0.1,
                       settings=settings_table(results), factors=factor_table(results), factor_text=factor_range(results),
                       wasm_note=note, check=independent_check(results), ahead=others_ahead(results),
                       pictures=pictures(results, images), scenes=scene_tables(results),
                       sweep_limit="" if full else " within the limit of processor time", sweeps=sweep_tables(results))
    return text.rstrip() + "\n"


def put_short(results, readme):
    """Puts the short table between the markers of a file, where it has them."""
    text = readme.read_text(encoding="utf-8") if readme.is_file() else ""
    if BEGIN not in text or END not in text:
        return False
    before, after = text.split(BEGIN, 1)[0], text.split(END, 1)[1]
    readme.write_text(f"{before}{BEGIN}\n{short_table(results)}\n{END}{after}", encoding="utf-8")
    return True


def write(results, path, images, readme):
    path.write_text(document(results, images), encoding="utf-8")
    put_short(results, readme)
