# SPDX-License-Identifier: Apache-2.0
"""Where other engines are better than Affix, in numbers; the short table of the comparison."""

from tables import ERRORS, LEVELS, by_error, by_gap, has_contact, number, remark, seen_gap, table

MARGIN = 1.1  # ahead: better by more than this factor
JOINTED = [("ms", "time per step"), ("gap", "gap of poses"), ("energy_relative", "energy error"), ("error", "marker at 1 s")]
CONTACT = [("ms", "time per step"), ("depth", "deepest overlap"), ("gap", "gap of poses")]
SHORT = ["chain-1000", "heavy-100", "net-20", "panda", "net-cylinder", "ragdolls"]  # rows of the short table


def is_ours(results, row):
    return results["contenders"][row["contender"]]["label"].startswith("Affix")


def ours_at(results, entry, h):
    rows = [r for r in entry["results"] if r["h"] == h and results["contenders"][r["contender"]].get("ours")]
    return rows[0] if rows else None


def better_numbers(entry, ours, row):
    """The numbers of a row that beat ours. Errors of a run that ended early are those of an easier problem."""
    measures = CONTACT if has_contact(entry) else JOINTED
    if not row["status"] == ours["status"] == "ok":
        measures = measures[:1]
    return [f"{name} {number(ours[key] / row[key])} times smaller" for key, name in measures
            if row.get(key, 0) > 0 and key in ours and row[key] * MARGIN < ours[key]]


def table_line(results, entry, h):
    """One line for a table: who is better in what, and by how much."""
    start, ours = f"- {entry['scene']['title']}, h = {h:.3g} s: ", ours_at(results, entry, h)
    if ours is None or ours["status"] not in ("ok", "incomplete"):
        others = [r for r in entry["results"] if r["h"] == h and not is_ours(results, r)]
        finished = sum(r["status"] == "ok" for r in others)
        return [f"{start}our own run {remark(ours) if ours else 'is missing'}; {finished} of {len(others)} others finished."]
    parts = []
    for row in (r for r in entry["results"] if r["h"] == h and not is_ours(results, r)):
        if row["status"] in ("ok", "incomplete"):
            better = better_numbers(entry, ours, row)
            note = f" ({remark(row)})" if remark(row) else ""
            parts += [f"{results['contenders'][row['contender']]['label']}: {', '.join(better)}{note}"] if better else []
    return [start + "; ".join(parts) + "."] if parts else []


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


def others_ahead(results):
    lines = [line for entry in results["scenes"] for h in entry["scene"]["h"] for line in table_line(results, entry, h)]
    lines += cheaper_for_precision(results)
    return "\n".join(lines) if lines else "In no row of this run."


# ---- the short table ----

def row_text(results, row):
    if row is None:
        return "none keeps its joints and its energy"
    note = f"; {remark(row)}" if remark(row) else ""
    gap = f"gap {number(row['gap'])} m" if row.get("joints") else ""
    return f"{results['contenders'][row['contender']]['label']}: {number(row['ratio'])} x our time, {gap}{note}"


def short_row(results, entry):
    h = min(entry["scene"]["h"], key=lambda step: abs(step - 0.01))
    ours = ours_at(results, entry, h)
    others = [r for r in entry["results"] if r["h"] == h and not is_ours(results, r) and "ratio" in r and
              r["status"] in ("ok", "incomplete")]
    if ours is None or "ms" not in ours or not others:
        return None
    sound = [r for r in others if not remark(r).startswith(("joints", "gains")) and r["status"] == "ok"]
    fastest = min(others, key=lambda r: r["ms"])
    exact = min(sound, key=seen_gap) if sound else None
    note = f"; {remark(ours)}" if remark(ours) else ""
    own = f"{number(ours['ms'])} ms, gap {number(ours['gap'])} m ({number(ours.get('own_gap'))} m){note}"
    return [f"{entry['scene']['title']}", own, row_text(results, fastest), row_text(results, exact)]


def short_table(results):
    entries = {entry["scene"]["id"]: entry for entry in results["scenes"]}
    rows = [short_row(results, entries[name]) for name in SHORT if name in entries]
    rows = [row for row in rows if row]
    if not rows:
        return "This run has none of the scenes of the short table."
    return table(["scene, steps of 0.01 s", "Affix, per step", "fastest other engine", "smallest gap of the others"], rows)
