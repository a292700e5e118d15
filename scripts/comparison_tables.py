"""Tables of runs that compare methods (side_by_side.py)."""

import itertools
import re
import statistics

import intervals
import side_by_side
from result_tables import table
from spread import spread

WITHOUT_LOOPS = ", without loops"
BEFORE = "before "  # begins the names of an earlier build's rows
TEMPERATURE = re.compile(r"(.*), temperature ([0-9.]+)(.*)")


def rows_but_ar(tables):
    """Names of the rows, in the order in which they were decoded."""
    return dict.fromkeys(name for one in tables for name in one["methods"] if name != "ar")


def summed_up(tables, method):
    """The geometric mean of the speed-ups over `ar` with its interval, and the least; nothing where none was timed."""
    rows = [one["methods"][method] for one in tables]
    if not all(row["speed_up"] for row in rows):
        return ""
    speed_ups = [statistics.fmean(row["speed_up"]) for row in rows]
    over_texts = side_by_side.interval_of_speed_up([row["texts"] for row in rows], [one["methods"]["ar"]["texts"] for one in tables])
    return f"{statistics.geometric_mean(speed_ups):.2f} {intervals.shown(over_texts)}; {min(speed_ups):.2f}"


def geometric_mean_of(rows, key):
    """Of a figure of every table, itself the mean of its rounds."""
    return statistics.geometric_mean([statistics.fmean(row[key]) if isinstance(row[key], list) else row[key] for row in rows])


@table("methods")
def methods(*runs):
    """scripts/compare_methods: a row for each prompts file"""
    names = ["prompts", "method", "tokens per pass (95 % interval)", "ms of a round: drafting, verification", "times `ar` (interval)",
             "with the prefill", "`ar`, tokens/s"]
    rows = []
    for tables in ([one for one in run["tables"] if not one["name"].endswith(WITHOUT_LOOPS)] for run in runs):
        for method in rows_but_ar(tables):
            for one in tables:
                row = one["methods"][method]
                rows.append([one["name"], method, f"{row['tokens_per_pass']:.2f} {intervals.shown(row['tokens_per_pass_interval'])}",
                             ", ".join(f"{ms:.1f}" for ms in row["milliseconds"][:2]),
                             f"{statistics.fmean(row['speed_up']):.2f} {intervals.shown(row['speed_up_interval'])}",
                             f"{statistics.fmean(row['speed_up_with_prefill']):.2f}",
                             f"{statistics.fmean(one['methods']['ar']['tokens_per_second']):.0f}"])
            rows_here = [one["methods"][method] for one in tables]
            with_prefill = [statistics.fmean(row["speed_up_with_prefill"]) for row in rows_here]
            rows.append(["geometric mean; the least", method, f"{geometric_mean_of(rows_here, 'tokens_per_pass'):.2f}", "",
                         summed_up(tables, method), f"{statistics.geometric_mean(with_prefill):.2f}; {min(with_prefill):.2f}", ""])
    return names, rows


def by_temperature(runs):
    """{temperature: {prompts: table}} of tables named so; those without loops apart are left out."""
    found = {}
    for one in (one for run in runs for one in run["tables"]):
        name, temperature, rest = TEMPERATURE.fullmatch(one["name"]).groups()
        if not rest.endswith(WITHOUT_LOOPS):
            found.setdefault(temperature, {})[name] = one
    return found


def of_prompts(runs, cell, plain=None, last=None):
    """A block of rows for each temperature, a column for each prompts file.
    @param cell   (row) -> text
    @param plain  (name of the first row of a block, (row of ar) -> text); none: no such row
    @param last   (name of the last column, (tables, method) -> text); none: no such column"""
    found = by_temperature(runs)
    prompts = list(dict.fromkeys(name for tables in found.values() for name in tables))
    shown = [re.sub("^[^,]*, ", "", name) for name in prompts]  # --by task names the file first
    rows = []
    for temperature, by_name in found.items():
        def cells_of(method, cell):
            return [cell(by_name[name]["methods"][method]) if name in by_name else "" for name in prompts]

        tables = list(by_name.values())
        if plain and any(cells := cells_of("ar", plain[1])):
            rows.append([f"T = {temperature}", plain[0], *cells, *([""] if last else [])])
        for method in rows_but_ar(tables):
            cells = cells_of(method, cell)
            if any(cells):
                rows.append([f"T = {temperature}", method, *cells, *([last[1](tables, method)] if last else [])])
    return ["", "", *shown, *([last[0]] if last else [])], rows


def interval_of_tokens_per_pass(rows):
    """Of the geometric mean over the prompts files."""
    texts = [row["texts"] for row in rows]
    return intervals.interval([len(one["passes"]) for one in texts], lambda chosen: statistics.geometric_mean(
        [intervals.rate(one["tokens"], one["passes"], picked) for one, picked in zip(texts, chosen)]))


@table("by-prompts")
def by_prompts(*runs):
    """comparisons of methods: tokens per pass and times ar, a column for each prompts file"""
    def cell(row):
        times = f", {statistics.fmean(row['speed_up']):.2f}" if row["speed_up"] else ""
        return f"{row['tokens_per_pass']:.2f}{times}"

    def plain(row):
        return f"{statistics.fmean(row['tokens_per_second']):.0f}" if row["speed_up"] else ""

    def means(tables, method):
        rows = [one["methods"][method] for one in tables]
        tokens = f"{geometric_mean_of(rows, 'tokens_per_pass'):.2f}"
        if times := summed_up(tables, method):
            return f"{tokens}, {times}; {geometric_mean_of(rows, 'speed_up_with_prefill'):.2f}"
        return f"{tokens} {intervals.shown(interval_of_tokens_per_pass(rows))}"

    names, rows = of_prompts(runs, cell, ("`ar`, tokens/s", plain), ("mean of tokens per pass, of times `ar` (interval); the least; the mean with the prefill", means))
    return names, rows + oracles(runs)


def oracles(runs):
    """Rows of the copies that agree the furthest (scripts/compare_pld_plus), in the columns of by_prompts."""
    rows = []
    for temperature, by_name in by_temperature(runs).items():
        tables = [one.get("oracle_tokens_per_pass", {}) for one in by_name.values()]
        for length in tables[0]:
            tokens = [of_table[length] for of_table in tables]
            rows.append([f"T = {temperature}", f"oracle {length}", *(f"{one:.2f}" for one in tokens), f"{statistics.geometric_mean(tokens):.2f}"])
    return rows


def ratio_shown(of_one, of_other, amount, per):
    """The ratio of two rows' rates, the geometric mean over the prompts files, with its interval. @param of_one, of_other  texts of each file"""
    def ratio(chosen):
        return statistics.geometric_mean([intervals.rate(one[amount], one[per], texts) / intervals.rate(other[amount], other[per], texts)
                                          for one, other, texts in zip(of_one, of_other, chosen)])

    sizes = [len(texts[per]) for texts in of_one]
    return f"{ratio([range(size) for size in sizes]):.3f} {intervals.shown(intervals.interval(sizes, ratio), 3)}"


def least_ratio(tables, one, other):
    """The smallest ratio over the prompts files of two rows' tokens a second, each the mean of its rounds."""
    return min(statistics.fmean(rows["methods"][one]["tokens_per_second"]) / statistics.fmean(rows["methods"][other]["tokens_per_second"]) for rows in tables)


@table("pairs")
def pairs(*runs):
    """comparisons of methods: each row over the one before it, the geometric mean over the prompts files, paired intervals over texts"""
    rows = []
    for temperature, by_name in by_temperature(runs).items():
        tables = list(by_name.values())
        for first, other in itertools.pairwise(rows_but_ar(tables)):
            texts = [[one["methods"][which]["texts"] for one in tables] for which in (other, first)]
            rows.append([f"T = {temperature}", f"{other} over {first}", ratio_shown(*texts, "tokens", "passes"), ratio_shown(*texts, "timed_tokens", "seconds")])
    return ["", "", "tokens per pass (95 % interval)", "speed (interval)"], rows


@table("over-lookup")
def over_lookup(*runs):
    """scripts/compare_pld_plus: each row over the lookup with drafts of as many tokens ("pld-plus-a 10" over "pld 10"), paired intervals over texts"""
    rows = []
    for temperature, by_name in by_temperature(runs).items():
        tables = list(by_name.values())
        names = rows_but_ar(tables)
        for name in names:
            lookup = re.sub(r"^\S+ (\d+).*", r"pld \1", name)
            if lookup in names and lookup != name:
                texts = [[one["methods"][which]["texts"] for one in tables] for which in (name, lookup)]
                rows.append([f"T = {temperature}", f"{name} over {lookup}", ratio_shown(*texts, "tokens", "passes")])
    return ["", "", "tokens per pass (95 % interval)"], rows


@table("over-before")
def over_before(*runs):
    """comparisons of methods: each row over the earlier build's, whose name begins with "before"; the geometric mean over the prompts files, paired intervals over texts"""
    rows = []
    for temperature, by_name in by_temperature(runs).items():
        tables = list(by_name.values())
        names = rows_but_ar(tables)
        for name in names:
            if (before := BEFORE + name) in names:
                texts = [[one["methods"][which]["texts"] for one in tables] for which in (name, before)]
                rows.append([f"T = {temperature}", name, ratio_shown(*texts, "tokens", "passes"), ratio_shown(*texts, "timed_tokens", "seconds"),
                             f"{least_ratio(tables, name, before):.2f}"])
    return ["", "", "tokens per pass (95 % interval)", "speed (interval)", "speed in the least set"], rows


@table("over-each")
def over_each(*runs):
    """comparisons of methods: the last row over each of the others, the geometric mean over the prompts files, paired intervals over texts"""
    rows = []
    for temperature, by_name in by_temperature(runs).items():
        tables = list(by_name.values())
        *others, last = rows_but_ar(tables)
        compared = {other: [one["methods"][other] for one in tables] for other in ["ar", *others]}
        elsewhere = [other for other in others if other.startswith("llama.cpp")]
        if len(elsewhere) > 1:
            compared["the faster llama.cpp of each set"] = [
                max((one["methods"][other] for other in elsewhere), key=lambda row: statistics.fmean(row["tokens_per_second"])) for one in tables]
        own = [one["methods"][last] for one in tables]
        for other, of_sets in compared.items():
            rate = statistics.fmean(rate for row in of_sets for rate in row["tokens_per_second"])
            ratios = {of: [statistics.fmean(one[of]) / statistics.fmean(row[of]) for one, row in zip(own, of_sets)] for of in ("tokens_per_second", "with_prefill")}
            texts = [[row["texts"] for row in rows_of_sets] for rows_of_sets in (own, of_sets)]
            rows.append([f"T = {temperature}", f"{last} over {other}", f"{rate:.0f}", ratio_shown(*texts, "timed_tokens", "seconds"),
                         f"{min(ratios['tokens_per_second']):.2f}", f"{statistics.geometric_mean(ratios['with_prefill']):.2f}"])
    return ["", "", "tokens/s of the other, mean of the sets", "speed (95 % interval)", "the least set", "with the prefill"], rows


@table("rounds")
def rounds(*runs):
    """scripts/compare_methods: ms of a round for drafting, verifying and the rest, a column for each prompts file"""
    return of_prompts(runs, lambda row: ", ".join(f"{ms:.2f}" for ms in row["milliseconds"]))


@table("trees")
def trees(*runs):
    """scripts/compare_methods: what a draft model's trees and graphs draft and accept, a column for each prompts file"""
    def cell(row):
        if "graph_success" not in row:
            return ""
        by_child = " ".join(f"{100 * share:.1f}" for share in row.get("accepted_by_child", [])[1:])
        return (f"{1 - 1 / row['tokens_per_pass']:.3f}, {row['drafted_nodes_per_round']:.1f}, {row['drafted_per_pass']:.1f}, "
                f"{100 * row['graph_success']:.1f} %, {100 * row['share_of_later_children']:.1f} %{f' ({by_child})' if by_child else ''}, {row['cut_rounds']}")
    return of_prompts(runs, cell)


@table("sequences")
def sequences(*runs):
    """scripts/sequences_figures: tokens a second of all texts together, median over rounds with the least and the greatest"""
    rows = [[f"T = {one['temperature']:g}, {one['texts']} texts, {run['sequences']} at a time", name, spread(row["tokens_per_second"], 0),
             spread(row["over_ar"]), f"{row['tokens_per_pass']:.2f}"]
            for run in runs for one in run["tables"] for name, row in one["rows"].items()]
    return ["", "row", "tokens/s", "times `ar` of the round", "tokens per pass and text"], rows
