# SPDX-License-Identifier: Apache-2.0
"""Tables of the comparison: one for each scene and step, and the work that a level of precision takes."""

LEVELS = [1e-3, 1e-4, 1e-6]  # of a link, for gaps
ERRORS = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6]  # m, for the marker
GAINS = 5  # an energy error of so many times what fell is no simulation of it any more
LIFT = 0.02  # m: contact dissipates, so energy that would lift the whole scene so far comes from nowhere
TORN = 0.1  # m: joints that are so far apart hold nothing


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


def seen_gap(result):
    """The gap that says whether joints hold: that of the affine bodies where bodies are elastic, as ours with contact."""
    return min(result["gap"], result.get("own_gap", result["gap"]))


def remark(result):
    status = result["status"]
    if status == "ok":
        return ("joints torn" if seen_gap(result) >= TORN else
                "gains energy without end" if result.get("energy_relative", 0) > GAINS and "depth" not in result else
                "gains energy" if result.get("lift", 0) > LIFT else "")
    if status == "incomplete":
        return f"time limit at t = {result['time']:.3g} s"
    if status in ("not finite", "failed"):
        return f"{status} at t = {result['time']:.3g} s"
    return f"{status}: {result['why']}"


def finite(result):
    return "–" if "finite" not in result else "yes" if result["finite"] else "no"


def gap_text(result):
    if "own_gap" in result:
        return f"{number(result['gap'])} ({number(result['own_gap'])})"
    return number(result.get("gap"))


# ---- work for a level ----

def runs_of(results, scene_id, name):
    """All runs of a contender on a scene, those of its sweep too."""
    entries = [entry for entry in results["scenes"] if entry["scene"]["id"] == scene_id]
    entries += [entry for entry in results["sweeps"] if entry["sweep"]["id"] == scene_id]
    return [r for entry in entries for r in entry["results"] if r["contender"] == name]


def cheapest(runs, good):
    fits = [r for r in runs if r["status"] == "ok" and good(r)]
    return min(fits, key=lambda r: r["seconds_per_second"]) if fits else None


def level_texts(results, scene, name):
    """Milliseconds for a simulated second at every gap level, by the cheapest run that reaches it."""
    runs = runs_of(results, scene["id"], name)
    bests = [cheapest(runs, lambda r, level=level: r["gap"] <= level * scene["link"]) for level in LEVELS]
    none = "not reached" if any("setting" in r for r in runs) else "–"
    return [number(1e3 * best["seconds_per_second"]) if best else none for best in bests]


# ---- tables of scenes ----

JOINTED = ["engine", "ms per step", "times ours", "largest gap, m", "energy error", "marker off at 1 s, m",
           *(f"ms per s, gap <= {level:g}" for level in LEVELS), "finite", "remark"]
CONTACT = ["engine", "ms per step", "times ours", "deepest overlap, m", "overlap at the end, m", "largest gap, m",
           "energy gained, m", "creep at rest, m", "finite", "remark"]


def has_contact(entry):
    return any("depth" in result for result in entry["results"])


def scene_row(results, entry, result):
    label = results["contenders"][result["contender"]]["label"]
    start = [label, number(result.get("ms")), number(result.get("ratio"))]
    end = [finite(result), remark(result)]
    if has_contact(entry):
        return [*start, number(result.get("depth")), number(result.get("depth_end")),
                gap_text(result) if result.get("joints") else "–", number(result.get("lift")), number(result["creep"]) if "creep" in result else "–", *end]
    return [*start, gap_text(result), number(result.get("energy_relative")), number(result.get("error")),
            *level_texts(results, entry["scene"], result["contender"]), *end]


def scene_intro(entry):
    scene, reference = entry["scene"], entry["reference"]
    sizes = next((f"{r['bodies']:,} bodies, {r['joints']:,} joints; " for r in entry["results"] if "bodies" in r), "")
    name = scene["case"][0].rsplit("/", 1)[-1]
    command = "peer_affix --scene" if name.startswith("pile-") else "affix run"
    what = f"`{command} {' '.join([name, *scene['case'][1:]])}`: {sizes}{scene['time']:g} s simulated."
    if "rest" in scene:
        what += f" Creep is how far a body goes in the last {scene['rest']:g} s."
    if has_contact(entry):
        return what
    known = (f"The reference is known to {number(reference['uncertainty'])} m ({reference['name']})."
             if reference else "No reference was run.")
    return f"{what} {known} A link is {scene.get('link', 0.1):g} m."


def scene_tables(results):
    out = []
    for entry in results["scenes"]:
        head = CONTACT if has_contact(entry) else JOINTED
        for h in entry["scene"]["h"]:
            out.append(f"### {entry['scene']['title']}, h = {h:.3g} s\n")
            if h == entry["scene"]["h"][0]:
                out.append(scene_intro(entry) + "\n")
            out.append(table(head, [scene_row(results, entry, r) for r in entry["results"] if r["h"] == h]) + "\n")
    return "\n".join(out)


# ---- tables of sweeps ----

def cell(best, ours, released):
    if best is None:
        return "not reached"
    setting = f"h = {best['h']:.2g}" + "".join(f", {w.lstrip('-')}" if w.startswith("--") else f" {w}" for w in best["setting"])
    ratio = f", {number(best['seconds_per_second'] / ours['seconds_per_second'])} x ours" if ours else ""
    wild = ", gains energy" if released and best["energy_error"] > released else ""
    return f"{number(1e3 * best['seconds_per_second'])} ({setting}{ratio}{wild})"


def names_of(entry):
    return list(dict.fromkeys(r["contender"] for r in entry["results"]))


def level_bests(entry, levels, good):
    """For every level: {contender: its cheapest run that reaches it}, and the cheapest of ours."""
    out = []
    for level in levels:
        bests = {name: cheapest([r for r in entry["results"] if r["contender"] == name],
                                lambda r, level=level: good(r, level)) for name in names_of(entry)}
        ours = [best for name, best in bests.items() if name.startswith("affix") and best]
        out.append((bests, min(ours, key=lambda r: r["seconds_per_second"]) if ours else None))
    return out


def level_table(entry, contenders, head, bests):
    """Rows: contenders; columns: levels; the cheapest setting that reaches each."""
    released = (entry["reference"] or {}).get("potential_range")
    rows = [[contenders[name]["label"], *(cell(best[name], ours, released) for best, ours in bests)]
            for name in names_of(entry)]
    return table(["engine", *head], rows)


def by_gap(entry):
    return level_bests(entry, LEVELS, lambda r, level: r["gap"] <= level * entry["sweep"]["link"])


def by_own_gap(entry):
    """Ours by the gap of the affine bodies, the others by the only one they have."""
    return level_bests(entry, LEVELS, lambda r, level: seen_gap(r) <= level * entry["sweep"]["link"])


def by_error(entry):
    return level_bests(entry, ERRORS, lambda r, level: r.get("error", 1e300) <= level)


def sweep_tables(results):
    out, contenders = [], results["contenders"]
    for entry in results["sweeps"]:
        title, levels = entry["sweep"]["title"], [f"gap <= {level:g} of a link" for level in LEVELS]
        out.append(f"### {title}: by joint gap\n")
        out.append(level_table(entry, contenders, levels, by_gap(entry)) + "\n")
        if entry["sweep"].get("contact"):
            out.append(f"### {title}: by joint gap, ours that of the affine bodies\n")
            out.append(level_table(entry, contenders, levels, by_own_gap(entry)) + "\n")
        if entry["reference"]:
            out.append(f"### {title}: by error of the marker at 1 s\n")
            out.append(f"The reference is known to {number(entry['reference']['uncertainty'])} m.\n")
            out.append(level_table(entry, contenders, [f"<= {level:g} m" for level in ERRORS], by_error(entry)) + "\n")
    return "\n".join(out)
