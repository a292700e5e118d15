"""Tables of studies: graphs of a draft model, stop policies, and training."""

from result_tables import table

# GSD's settings as published, and the values of each that calibrate gsd tries with the others so (Gong et al. 2024, figure 5).
PUBLISHED = {"children": 4, "merge_run": 2, "prune_probability": 0.2, "prune_siblings": 0.3}
PUBLISHED_NAMES = {"children": "k", "merge_run": "tau", "prune_probability": "least probability", "prune_siblings": "least share of the likeliest sibling"}


@table("sweeps")
def sweeps(run):
    """calibrate gsd: the published settings, and those with one of them changed"""
    found = {}
    for number, one in enumerate(run["temperatures"]):
        for setting in one["settings"]:
            merges = "merge_run" in setting
            changed = {name: setting.get(name, value) for name, value in PUBLISHED.items() if setting.get(name, value) != value}
            is_published = setting["min_path"] == 0 and setting["draft_length"] == 10 and setting["tree_nodes"] >= 2048
            if setting["children"] > 1 and is_published and len(changed) < 2:
                what = next(((list(PUBLISHED).index(name), f"{PUBLISHED_NAMES[name]} {value:g}", value) for name, value in changed.items()), (-1, "as published", 0))
                found.setdefault((what[0], what[2], what[1]), {})[number, merges] = setting
    columns = [(number, merges) for number in range(len(run["temperatures"])) for merges in (False, True)]
    names = ["", *(f"T = {run['temperatures'][number]['temperature']:g}: `{'gsd' if merges else 'tsd'}`" for number, merges in columns)]

    def cell(setting):
        if setting is None:
            return ""
        success = f", {100 * setting['graph_success']:.1f}" if "merge_run" in setting else ""
        cut = f", {100 * setting['rounds_cut'] / setting['rounds']:.0f} % cut" if setting["rounds_cut"] else ""
        return (f"{setting['acceptance']:.3f}, {setting['drafted_per_round']:.1f}{cut}; "
                f"{100 * setting['share_of_later_children']:.0f}{success} %")

    return names, [[what[2], *(cell(found[what].get(column)) for column in columns)] for what in sorted(found)]


@table("branches")
def branches(run):
    """calibrate gsd: what branches have in common, and how far distributions after the same tokens are apart"""
    names = ["", "tokens that another branch has too, in runs of 1, 2, 3, 4", "divergence after tau = 0, 1, 2, 3, 4 equal tokens, in nats", "divided by the draft's vocabulary", "nodes"]
    rows = []
    for one in run["temperatures"]:
        for trees in one["redundancy"]:
            rows.append([f"T = {one['temperature']:g}, k = {trees['children']}", ", ".join(f"{100 * count / trees['nodes']:.0f}" for count in trees["repeated_nodes"]) + " %",
                         ", ".join(f"{at['divergence']:.2f}" for at in trees["merging"]), ", ".join(f"{at['divergence_per_token']:.1e}" for at in trees["merging"]),
                         ", ".join(f"{at['nodes']:,}" for at in trees["merging"])])
    return names, rows


def with_interval(found, digits, scale=1, sign=""):
    """A gain of a stop study, with its interval; nothing where the study has none."""
    if not found:
        return ""
    value, low, high = (f"{scale * found[key]:.{digits}f}" for key in ("value", "low", "high"))
    return f"{value} ({low}{' to ' if found['low'] < 0 else '-'}{high}){sign}"


@table("stops")
def stops(*studies):
    """calibrate bench --stops: a block of rows for each study"""
    names = ["prompts", "policy", "ms a token, times the target alone", "tokens per pass, drafted a pass", "time, of the better static length's (interval)",
             "of the heuristic's", "of the gap to the oracle", "F1, AUC"]
    rows = []
    for study in studies:
        for cell in study["policies"]:
            scores = [f"{cell['classification']['f1']:.3f}"] if "classification" in cell else []
            scores += [f"{cell['auc']:.3f}"] if "auc" in cell else []
            share = cell.get("share_of_gap_to_oracle") if cell["drafted"] else None
            rows.append([f"{study['name']}, T = {study['temperature']:g}", cell["policy"], f"{cell['ms_per_token']:.2f}, {cell['speed_up']:.2f}",
                         f"{cell['tokens_per_pass']:.2f}, {cell['drafted'] / cell['passes']:.2f}", with_interval(cell.get("time_of_static"), 3),
                         with_interval(cell.get("time_of_heuristic"), 3), with_interval(share, 0, 100, " %"), ", ".join(scores)])
    return names, rows


ROUND_LENGTHS = (0, 1, 2, 3, 4, 5, 10, 20)  # each group's first


@table("oracle-rounds")
def oracle_rounds(*studies):
    """calibrate bench --stops: the share of the oracle's rounds that have each length, and their mean"""
    ends = (*ROUND_LENGTHS[1:], None)
    groups = [f"{first}" if end == first + 1 else f"{first} to {end - 1}" if end else f"{first} and more" for first, end in zip(ROUND_LENGTHS, ends)]
    rows = []
    for study in studies:
        lengths = study["oracle_lengths"]
        counts = lengths["rounds_by_length"]
        rows.append([study["name"], f"{sum(counts):,}", *(f"{100 * sum(counts[first:end]) / sum(counts):.1f} %" for first, end in zip(ROUND_LENGTHS, ends)),
                     f"{lengths['mean']:.1f} ± {lengths['deviation']:.1f}"])
    return ["prompts", "rounds", *groups, "mean ± deviation"], rows


def saved(share):
    return f" ({100 * share:.0f} %)"


@table("stop-rules")
def stop_rules(*runs):
    """train disco --json: times plain decoding as predicted on the validation texts, and the share of the time from the best static length to the oracle that is saved"""
    cells = {}  # {rule: {column: text}}, in the order of the runs

    def put(rule, column, text):
        cells.setdefault(rule, {}).setdefault(column, text)

    columns = []
    for run in runs:
        for one in run["found"]:
            column = f"T = {one['temperature']:g}" + (f", {run['name']}" if len(runs) > 1 else "")
            columns += [column] if column not in columns else []
            found = one["validation"]
            rates = {rule: rate / found["tokens_per_second"]["plain"] for rule, rate in found["tokens_per_second"].items()}
            static = max((rule for rule in rates if rule.startswith("static")), key=rates.get)
            put("static, the best length", column, f"{rates[static]:.3f} ({static.split()[1].rstrip(',')})")
            put("heuristic", column, f"{next(rate for rule, rate in rates.items() if rule.startswith('heuristic')):.3f}")
            for rule in ("confidence", "path"):
                put(rule, column, f"{next(rate for name, rate in rates.items() if name.startswith(rule)):.3f}" + saved(found[f"{rule}_share"]))
            name = f"{one['policy']}: {one['label']} labels, {one['inputs']} inputs, threshold of the {one['rule']}"
            put(name, column, f"{next(rate for rule, rate in rates.items() if rule.startswith(one['policy'])):.3f}" + saved(found["classifier_share"]))
            put("oracle", column, f"{rates['oracle']:.3f}")
    order = [rule for rule in cells if rule != "oracle"] + ["oracle"]
    return ["", *columns], [[rule, *(cells[rule].get(column, "") for column in columns)] for rule in order]


@table("bounds")
def bounds(*runs):
    """scripts/bound_stops --json: times plain decoding, and the share of the time from the best static length to the oracle that is saved"""
    names = ["traces", "static, the best length", "the draft's own probability", "boosted trees", "oracle", "AUC of both"]

    def cell(rule):
        judged = "a token's" if rule["rule"] == "token" else "the path's"
        return f"{rule['speed_up']:.3f}{saved(rule['share'])}, {judged}"

    return names, [[f"{run['name']}, T = {run['temperature']:g}", f"{run['static']['speed_up']:.3f} ({run['static']['length']})", cell(run["own"]), cell(run["trees"]),
                    f"{run['oracle']['speed_up']:.3f}", f"{run['own']['auc']:.3f}, {run['trees']['auc']:.3f}"] for run in runs]


@table("agreement")
def agreement(*runs):
    """calibrate ssd --json: the share of the target's own tokens that the draft model draws, and that its head has, a column for each task"""
    tasks = list(dict.fromkeys(task for run in runs for one in run["temperatures"] for task in one["tasks"]))
    rows = []
    for run in runs:
        of_run = f", {run['name']}" if len(runs) > 1 else ""
        for one in run["temperatures"]:
            for figure, what in (("agreement", "drawn"), ("coverage", "in the head")):
                rows.append([f"T = {one['temperature']:g}{of_run}: {what}", *(f"{one['tasks'][task][figure]:.3f}" for task in tasks), f"{one[figure]:.3f}"])
    return ["", *tasks, "mean"], rows


@table("attribution")
def attribution(*runs):
    """calibrate attribute --json: precision, recall, F1 and the share of spans of the right source, a row for each method"""
    spans = [score["min_span"] for score in runs[0]["scores"]]

    def cell(score):
        return f"{score['precision']:.2f} {score['recall']:.2f} {score['f1']:.2f}, {100 * score['spans_of_right_source'] / score['spans']:.0f} %"

    return ["", *(f"{span} tokens or more" for span in spans)], [[f"`{run['method']}`", *(cell(score) for score in run["scores"])] for run in runs]


@table("learning")
def learning(*runs):
    """validations in a metrics.jsonl of train parallelspec: a row for each, or, of several runs, one for the weights that each kept"""
    names = ["run, step" if len(runs) > 1 else "step", "tokens per pass of one draft, T = 0", "agreement by position in the draft, T = 0", "tokens per pass, T = 1",
             "probability of acceptance by position, T = 1"]

    def tokens_per_pass(found, ending):
        return next(value for name, value in found.items() if name.startswith("tokens_per_pass") and name.endswith(ending))

    def by_position(found, name):
        return " ".join(f"{value:.2f}" for key, value in found.items() if key.startswith(name + "."))

    def row(line, name=""):
        found = line["validation"]
        return [f"{name}{line['step']:,}", f"{tokens_per_pass(found, '_t0'):.2f}", by_position(found, "agreement"), f"{tokens_per_pass(found, '_t1'):.2f}", by_position(found, "acceptance")]

    if len(runs) == 1:
        return names, [row(line) for line in runs[0]["lines"]]
    return names, [row([line for line in run["lines"] if line["validation"]["best"]][-1], f"{run['name']}, ") for run in runs]


@table("learning-beside")
def learning_beside(*runs):
    """the same of several runs side by side: the steps that all have, and the last one of each"""
    by_step = [{line["step"]: line["validation"] for line in run["lines"]} for run in runs]
    steps = sorted(set.intersection(*map(set, by_step)) | {max(of_run) for of_run in by_step})
    names = ["step", *(f"{run['name']}: agreement of the first token, T = 0; tokens per pass of one draft, mean of T = 0 and 1" for run in runs)]
    return names, [[f"{step:,}", *(f"{of_run[step]['agreement.0']:.3f}; {of_run[step]['score']:.3f}" if step in of_run else "" for of_run in by_step)] for step in steps]


@table("variants")
def variants(*runs):
    """scripts/ablate_parallelspec: tokens per pass of chains of one token, of two, and so on, a row for each drafter"""
    rows = []
    for run in runs:
        for one in run["variants"]:
            by_length = [[f"{chain['tokens_per_pass']:.2f}" for chain in sorted(at["chains"], key=lambda chain: chain["draft_length"])] for at in one["temperatures"]]
            rows.append([one["variant"], f"{one['steps']:,}", *map(" ".join, by_length)])
    return ["drafter", "steps", *(f"tokens per pass of chains, by length, T = {at['temperature']:g}" for at in runs[0]["variants"][0]["temperatures"])], rows
