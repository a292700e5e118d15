"""Tables of scripts/engine_figures."""

import statistics

from result_tables import markdown, table
from spread import spread

ROWS = (1, 4, 8, 16)


def named(setting):
    isa = setting["isa"]
    return f"{setting['model'].removesuffix('.gguf')}, {setting['threads']} threads" + ("" if isa == "auto" else f", {isa}")


def passes(runs, context, rows, key):
    """Of every run: a figure of the pass of so many rows."""
    return [found[key]["median"] if key == "seconds" else found[key] for one in runs for found in one["bench"]["passes"]
            if (found["context"], found["rows"]) == (context, rows)]


def prefills(runs, depth, key="tokens_per_second"):
    """Of every run: a figure of the prefill after so many tokens; nothing where one has none, as of an earlier build."""
    found = [one[key] for run in runs for one in run["bench"]["prefill"] if one["depth"] == depth and key in one]
    return [one["median"] if isinstance(one, dict) else one for one in found] if len(found) == len(runs) else []


def contexts_of(setting):
    return sorted({found["context"] for found in setting["runs"][0]["bench"]["passes"]})


def depths_of(setting):
    return [found["depth"] for found in setting["runs"][0]["bench"]["prefill"]]


def plain(setting, of="runs"):
    return [one["tokens_per_second"] for one in setting[of]]


@table("engine-passes")
def engine_passes(*runs):
    """scripts/engine_figures: times of passes, and the share of what the machine allows"""
    names = ["file", "plain decoding, tokens/s", "after so many tokens", "1 row: ms", "of the limit", *(f"{rows} rows: passes of one, of the limit" for rows in ROWS[1:])]
    rows = []
    for setting in (setting for run in runs for setting in run["settings"]):
        found = setting["runs"]
        for context in contexts_of(setting):
            def share(count):
                return f"{100 * statistics.median(passes(found, context, count, 'share_of_limit')):.0f} %"

            is_first = context == contexts_of(setting)[0]
            rows.append([named(setting) if is_first else "", spread(plain(setting), 1) if is_first else "", f"{context:,}",
                         spread(passes(found, context, 1, "seconds"), 2, 1e3), share(1),
                         *(f"{spread(passes(found, context, count, 'ratio_to_one_row'))}, {share(count)}" for count in ROWS[1:])])
    return names, rows


@table("engine-prefill")
def engine_prefill(*runs):
    """scripts/engine_figures: prefill of 512 tokens, and the share of what the processor can multiply"""
    names = ["file", "after so many tokens", "tokens/s", "of the rate of products in 8 bits"]
    rows = []
    for setting in (setting for run in runs for setting in run["settings"]):
        for depth in depths_of(setting):
            shares = prefills(setting["runs"], depth, "share_of_products")
            rows.append([named(setting) if depth == depths_of(setting)[0] else "", f"{depth:,}", spread(prefills(setting["runs"], depth), 0),
                         f"{100 * statistics.median(shares):.0f} %" if shares else "-"])
    return names, rows


def nearest(contexts, depth):
    return min(contexts, key=lambda context: abs(context - depth))


@table("engine-beside-llama")
def engine_beside_llama(*runs):
    """scripts/engine_figures --llama: one row and prefill, ratios of the same round"""
    names = ["file", "after so many tokens", "one row, tokens/s", "llama.cpp", "times", "prefill of 512, tokens/s", "llama.cpp", "times"]
    rows = []
    for setting in (setting for run in runs for setting in run["settings"] if setting["llama"]):
        for index, depth in enumerate(sorted(map(int, setting["llama"][0]["prefill"]))):
            ours = [1 / seconds for seconds in passes(setting["runs"], nearest(contexts_of(setting), depth), 1, "seconds")]
            prefill = prefills(setting["runs"], depth)
            cells = [named(setting) if index == 0 else "", f"{depth:,}"]
            for own, what, digits in ((ours, "one row", 1), (prefill, "prefill", 0)):
                theirs = [of_round[what][key] for of_round in setting["llama"] for key in of_round[what] if int(key) == depth]
                cells += [f"{statistics.median(own):.{digits}f}", f"{statistics.median(theirs):.{digits}f}", spread([a / b for a, b in zip(own, theirs)])] \
                    if own and theirs else ["-", "-", "-"]
            rows.append(cells)
    return names, rows


@table("engine-changes")
def engine_changes(*runs):
    """scripts/engine_figures --before: this build's figures over the earlier one's of the same round"""
    names = ["file", "figure", "now over before"]
    rows = []
    for setting in (setting for run in runs for setting in run["settings"] if setting["before"]):
        now, before = setting["runs"], setting["before"]

        def ratio(name, new, old):
            if new and old:
                rows.append(["" if rows and name != "plain decoding, tokens/s" else named(setting), name, spread([a / b for a, b in zip(new, old)], 3)])

        ratio("plain decoding, tokens/s", plain(setting), plain(setting, "before"))
        for context in contexts_of(setting):
            for count in ROWS:
                ratio(f"time of {count} row{'s' if count > 1 else ''} after {context:,}", passes(now, context, count, "seconds"), passes(before, context, count, "seconds"))
        for depth in depths_of(setting):
            ratio(f"prefill after {depth:,}, tokens/s", prefills(now, depth), prefills(before, depth))
    return names, rows


@table("engine-quality")
def engine_quality(run):
    """scripts/engine_figures --quality: perplexity of given answers"""
    names = ["file", "tokens", "perplexity", "in floats", "change (standard error)", "nats a token", "same best token"]
    return names, [[model.removesuffix(".gguf"), f"{found['tokens']:,}", f"{found['perplexity']:.3f}", f"{found['perplexity_f32']:.3f}",
                    f"{100 * found['perplexity_change']:+.2f} % ({100 * found['perplexity_change_error']:.2f})", f"{found['kl_mean']:.4f}",
                    f"{100 * found['same_best']:.1f} %"] for model, found in run["quality"].items()]


def of_run(run):
    """(title, table) of everything that was measured."""
    makes = {"Passes": engine_passes, "Prefill of 512 tokens": engine_prefill, "Beside llama.cpp": engine_beside_llama,
             "Now over the earlier build": engine_changes, "8 bits against floats, on the references in " + ", ".join(run["quality_files"]): engine_quality}
    for title, make in makes.items():
        names, rows = make(run)
        if rows:
            yield title, "\n".join(markdown(names, rows))
