"""Shared by the comparisons of methods: interleaved decoding or replays of plain texts, and their figures.

Times are sums over prompts: decoding alone, from the first token to the last, and with the prefill.
Each has its speed-up over the `ar` of the same round; mean and standard deviation over rounds, and in brackets the
95 % interval over texts (intervals.py): each text's time is the median of its rounds, and texts are drawn in pairs. The
exit status is 0, 1 when a text differs from that of `ar`, 2 for a wrong argument.
"""

import argparse
import itertools
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import intervals
import llama_cpp
from changes import commit_of
from json_lines import json_lines
from processor import physical_cores, processor_name

ROOT = Path(__file__).resolve().parent.parent
NAME = Path(sys.argv[0]).name
DEPTHS = 5  # of a draft, that a table shows
LENGTHS = (100, 400)  # words of a record's turns where a table of --by length ends


def command_line():
    """How the script was called, files without their folders."""
    return re.sub(r"[^\s'\"=]*/", "", shlex.join([NAME, *sys.argv[1:]]))


def fail(message):
    print(f"{NAME}: {message}", file=sys.stderr)
    sys.exit(2)


def parser(description, limit, max_new, temperatures):
    """A parser with the options that all comparisons share. @param limit, max_new, temperatures  defaults"""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="a GGUF file")
    options.add_argument("prompts", nargs="+", type=Path, help="JSON lines, one file a task")
    options.add_argument("-l", "--limit", type=int, default=limit, help=f"prompts a table; 0: all (default {limit})")
    options.add_argument("--by", default="file", metavar="FIELD",
                         help="a table for each prompts file, or for each value of a field of its records such as task or "
                              f"source, or by length: below {LENGTHS[0]}, below {LENGTHS[1]} and more words (default file)")
    options.add_argument("--turns", choices=["first", "all"], default="all", help="of a prompt (default all)")
    options.add_argument("-n", "--max-new", type=int, default=max_new, help=f"tokens of a text (default {max_new})")
    options.add_argument("-r", "--rounds", type=int, default=3, help="(default 3)")
    options.add_argument("-t", "--temperatures", type=float, nargs="+", default=temperatures,
                         help=f"(default {' '.join(map(str, temperatures))})")
    options.add_argument("--threads", type=int, default=0, help="0, the default: the physical cores")
    options.add_argument("--sampling", type=shlex.split, default=[], metavar="FLAGS",
                         help="other sampling flags, of every row, ar too, in quotes: '--top-p 0.7 --top-k 50'")
    options.add_argument("--costs", choices=["quick", "stored"], default="quick",
                         help="times by which lengths are chosen where no artifact has this machine's, as in runtime decode")
    options.add_argument("--acceptance-only", action="store_true",
                         help="count passes without timing, in plainly decoded texts replayed with each method")
    options.add_argument("--calibrate", type=Path, default=ROOT / "build/release/bin/calibrate",
                         help="the calibrate program, for replays")
    options.add_argument("--artifacts", help="artifact file (default: the one in checkpoints/)")
    options.add_argument("--runtime", type=Path, default=ROOT / "build/release/bin/runtime")
    options.add_argument("--out", type=Path, default=ROOT / "build" / NAME,
                         help="folder for the records and the figures, as JSON")
    return options


def parse(options):
    given = options.parse_args()
    if given.limit < 0 or given.max_new < 2 or given.rounds < 1 or given.threads < 0:
        fail("expected --limit and --threads from 0, --max-new from 2, --rounds from 1")
    if len({path.stem for path in given.prompts}) < len(given.prompts):
        fail("two prompts files have the same name: tasks are told apart by it")
    given.out.mkdir(parents=True, exist_ok=True)
    if given.acceptance_only:
        given.rounds = 0
    given.prompts = [part for path in given.prompts for part in parts_of(given, path)]
    return given


def records_of(path):
    """The records of a prompts file."""
    try:
        return json_lines(path.read_text())
    except (OSError, ValueError) as error:
        fail(f"{path}: expected JSON lines: {error}")


def words(record):
    return [len(turn.split()) for turn in record["turns"]]


def parts_of(given, path):
    """Files with the records of a prompts file that belong to one table."""
    if given.by == "file":
        return [path]
    parts = {}
    for record in records_of(path):
        if given.by == "length":
            of_record = sum(words(record))
            part = next((f"below {most} words" for most in LENGTHS if of_record < most), f"from {LENGTHS[-1]} words")
        elif given.by in record:
            part = str(record[given.by])
        else:
            fail(f"--by {given.by}: a record of {path} has no such field")
        parts.setdefault(re.sub("[^A-Za-z0-9_ -]+", "-", part), []).append(record)
    folder = given.out / "prompts"
    folder.mkdir(exist_ok=True)
    files = []
    for part, records in parts.items():
        files.append(folder / f"{path.stem}, {part}.jsonl")
        files[-1].write_text("".join(json.dumps(record) + "\n" for record in records))
    return files


def input_words(given, path, limit):
    """Words of a turn, in the mean of those that are decoded and of all records, and the number of these: PLD+, table 9."""
    counts = [record if given.turns == "all" else record[:1] for record in map(words, records_of(path))]
    of_turns = [statistics.fmean(itertools.chain(*part)) for part in (counts[:limit or None], counts)]
    return {"decoded": of_turns[0], "all": of_turns[1], "records": len(counts)}


def artifacts(given):
    """Flags for methods that use artifacts."""
    return ["--artifacts", given.artifacts] if given.artifacts else []


def run(program, *command):
    """The standard output of a command."""
    done = subprocess.run([program, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(done.stderr.strip())
    return done.stdout


def decode(given, prompts, temperature, flags, limit):
    program, costs = given.runtime, ["--costs", given.costs]
    if flags[:1] == ["--runtime"]:  # another build's, which need not have these flags
        program, flags, costs = flags[1], flags[2:], []
    lines = run(program, "decode", "-m", given.model, "--prompts", prompts, "--limit", str(limit),
                "--turns", given.turns, "-n", str(given.max_new), "--temperature", str(temperature),
                "-t", str(given.threads), *costs, "--json", "-", "--quiet", *given.sampling, *flags)
    return json_lines(lines)


def replay(given, texts, flags):
    """Records of the same texts as decoding with other flags would have made them."""
    method = [] if "--method" in flags else ["--method", "auto"]
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as answers:
        answers.writelines(json.dumps(record) + "\n" for record in texts)
        answers.flush()
        lines = run(given.calibrate, "replay", "-m", given.model, "--answers", answers.name,
                    "-t", str(given.threads), "--costs", given.costs, "--json", "-", "--quiet", *method, *flags)
    copied = ("id", "task", "turn", "prompt_tokens", "output_tokens")
    return [{key: record[key] for key in copied if key in record} | replayed
            for record, replayed in zip(texts, json_lines(lines), strict=True)]


def settings_of(given, flags, temperature=0):
    """The resolved settings of a method."""
    short = argparse.Namespace(**{**vars(given), "max_new": 2})
    return decode(short, given.prompts[0], temperature, flags, 1)[0]["settings"]


def made(records):
    """Tokens generated by decode passes; the first comes from the prefill."""
    return sum(len(record["output_tokens"]) - 1 for record in records)


def rates(rounds):
    """Tokens per second in each round."""
    return {"tokens_per_second": [made(records) / sum(r["decode_seconds"] for r in records) for records in rounds],
            "with_prefill": [sum(len(r["output_tokens"]) for r in records) /
                             sum(r["prefill_seconds"] + r["decode_seconds"] for r in records) for records in rounds]}


def text_key(record):
    """Which text a record is of: all turns of a prompt are one."""
    return str(record.get("task")), str(record["id"]), record.get("sample", 0)


def of_texts(counted, runs):
    """What intervals are found from: of each text tokens, passes and, where it was timed, seconds."""
    def of_round(rounds, value):
        return intervals.median_of_rounds(rounds, text_key, value)

    def generated(record):
        return len(record["output_tokens"]) - 1

    return {"tokens": of_round([counted], generated), "passes": of_round([counted], lambda record: record["passes"]),
            "timed_tokens": of_round(runs, generated),
            "seconds": of_round(runs, lambda record: record["decode_seconds"])}


def speed_up_of(texts, plain, chosen):
    return (intervals.rate(texts["timed_tokens"], texts["seconds"], chosen) /
            intervals.rate(plain["timed_tokens"], plain["seconds"], chosen))


def interval_of_speed_up(found, plain):
    """Over the texts of each table, whose geometric mean it is. @param found, plain  of_texts of each"""
    sizes = [len(texts["seconds"]) for texts in found]
    if sizes != [len(texts["seconds"]) for texts in plain]:
        return None  # other texts were timed
    return intervals.interval(sizes, lambda chosen: statistics.geometric_mean(
        speed_up_of(*pair) for pair in zip(found, plain, chosen)))


def all_figures(counted, runs):
    """Figures by method. @param counted, runs  as passed by `compare`"""
    plain = rates(runs["ar"])
    texts = {method: of_texts(records, runs[method]) for method, records in counted.items()}
    rows = {}
    for method, records in counted.items():
        row = rows[method] = {"tokens_per_pass": made(records) / max(1, sum(r["passes"] for r in records))}
        row |= rates(runs[method])
        for speed_up, rate in (("speed_up", "tokens_per_second"), ("speed_up_with_prefill", "with_prefill")):
            row[speed_up] = [a / b for a, b in zip(row[rate], plain[rate])]
        own = row["texts"] = texts[method]
        row["tokens_per_pass_interval"] = intervals.interval(
            [len(own["tokens"])], lambda chosen: intervals.rate(own["tokens"], own["passes"], chosen[0]))
        row["speed_up_interval"] = interval_of_speed_up([own], [texts["ar"]]) if runs[method] else None
    return rows


def mean(values, digits):
    if not values:
        return ""
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.fmean(values):.{digits}f} ± {spread:.{digits}f}"


def speeds(row):
    """The columns that every table ends with."""
    speed_up = f"{mean(row['speed_up'], 2)} {intervals.shown(row['speed_up_interval'])}"
    return (f"{mean(row['tokens_per_second'], 0):<14} {speed_up:<24} "
            f"{mean(row['with_prefill'], 0):<14} {mean(row['speed_up_with_prefill'], 2)}")


SPEEDS = f"{'tokens/s':<14} {'speed-up, over texts':<24} {'with prefill':<14} speed-up"


def passes(row):
    """The column of tokens per pass."""
    return f"{row['tokens_per_pass']:.3f} {intervals.shown(row['tokens_per_pass_interval']):<13}"


PASSES = f"{'tokens/pass':<19}"


GRAPH_COUNTS = ("rounds", "rounds_with_accepted_copies", "accepted_nodes", "drafted_nodes")


def graph_figures(records):
    """Of a draft model's trees: nodes that it drafts in a round; the share of rounds in which a token was accepted through
    a merged node (GSD's graph success, Gong et al. 2024, table 1), and of the accepted nodes those that are children 2, 3
    and so on; rounds whose tree was cut. None of other drafters."""
    counts = {}
    for record in records:
        if any(name not in record.get("draft_counts", {}) for name in GRAPH_COUNTS):
            return None
        for name, count in record["draft_counts"].items():
            counts[name] = counts.get(name, 0) + count
    if counts.get("rounds", 0) == 0:
        return None
    children = sum(name.startswith("accepted_children_") for name in counts)
    by_child = [counts[f"accepted_children_{child + 1}"] / max(1, counts["accepted_nodes"]) for child in range(children)]
    return {"drafted_nodes_per_round": counts["drafted_nodes"] / counts["rounds"],
            "graph_success": counts["rounds_with_accepted_copies"] / counts["rounds"],
            "share_of_later_children": sum(by_child[1:]),
            "accepted_by_child": by_child,
            "cut_rounds": sum(record.get("cut_rounds", 0) for record in records)}


def accepted_by_depth(records):
    """Of the rounds with a draft the share that accepted at least one token, two, and so on."""
    accepted = [accepted for r in records for drafted, accepted in r["drafts"] if drafted > 0]
    return [sum(count >= depth for count in accepted) / len(accepted) for depth in range(1, max(accepted, default=0) + 1)]


def rounds_of(records):
    """Drafted tokens of a pass, the share of them that were accepted, in all and by depth, and milliseconds of a
    round, prefills of the draft left out; none where texts were not timed, or not by part, as by earlier builds."""
    accepted = {"drafted_per_pass": sum(r["drafted"] for r in records) / max(1, sum(r["passes"] for r in records)),
                "accepted": sum(r["accepted"] for r in records) / max(1, sum(r["drafted"] for r in records)),
                "accepted_by_depth": accepted_by_depth(records)}
    if any("verify_seconds" not in r for r in records):
        return accepted | {"milliseconds": []}
    passes = max(1, sum(r["passes"] for r in records))
    drafting = sum(sum(seconds for name, seconds in r.get("draft_seconds", {}).items() if not name.endswith("prefill"))
                   for r in records)
    verifying = sum(r["verify_seconds"] for r in records)
    whole = sum(r["decode_seconds"] for r in records)
    prefills = sum(sum(r.get("draft_seconds", {}).values()) for r in records) - drafting
    rest = whole - prefills - drafting - verifying
    return accepted | {"milliseconds": [1e3 * seconds / passes for seconds in (drafting, verifying, rest)]}


def table_of_rounds(name, counted, runs):
    """Prints the figures of all methods, those of a round among them. @param counted, runs  as passed by `compare`"""
    rows = all_figures(counted, runs)
    texts = counted["ar"]
    print(f"\n{name}: {len(texts)} texts, {made(texts)} tokens")
    print(f"{'method':<20} {PASSES} {'drafted':<8} {'accepted':<9} {'by depth':<{4 * DEPTHS}} {'draft verify rest':<18} {SPEEDS}")
    for method, row in rows.items():
        row |= rounds_of(counted[method])
        drafts = any(record["drafted"] for record in counted[method])
        drafted = f"{row['drafted_per_pass']:.2f}" if drafts else ""
        share = f"{100 * row['accepted']:.0f} %" if drafts else ""
        times = " ".join(f"{ms:.2f}" for ms in row["milliseconds"]) if runs[method] else ""
        depths = " ".join(f"{of_depth:.2f}".lstrip("0") for of_depth in row["accepted_by_depth"][:DEPTHS])
        print(f"{method:<20} {passes(row)} {drafted:<8} {share:<9} {depths:<{4 * DEPTHS}} {times:<18} {speeds(row)}", flush=True)
    for method, row in rows.items():
        if graph := graph_figures(counted[method]):
            row |= graph
            print(f"{method}: {graph['drafted_nodes_per_round']:.1f} nodes drafted a round, graph success {100 * graph['graph_success']:.1f} %, "
                  f"accepted tokens from children 2 and later {100 * graph['share_of_later_children']:.1f} %, "
                  f"{graph['cut_rounds']} rounds cut", flush=True)
    return [{"name": name, "methods": rows}]


def is_llama(flags):
    """Whether a row is of llama.cpp's server, which is given our tokens."""
    return flags[:1] == ["--llama"]


def check_llama(rows):
    """Fails for rows of llama.cpp without its server. @param rows  flags of each"""
    for flags in filter(is_llama, rows):
        if why := "expected the folder of llama-server" if len(flags) < 2 else llama_cpp.why_not(flags[1], "llama-server"):
            fail(f"--llama: {why}")


def decode_all(given, methods, prompts, temperature, limit):
    """Records by method, with ar first."""
    found = {}
    for method, flags in methods.items():
        if is_llama(flags):
            try:
                found[method] = llama_cpp.decode(flags[1], flags[2:], given.model, given.threads or physical_cores(), temperature, found["ar"])
            except (OSError, RuntimeError) as error:
                fail(f"{method}: {str(error).strip()}")
        else:
            found[method] = decode(given, prompts, temperature, flags, limit)
    return found


def replay_all(given, methods, prompts, temperature, limit):
    """Records by method: ar decoded, the others replayed from its texts."""
    texts = decode(given, prompts, temperature, methods["ar"], limit)
    return {method: texts if method == "ar" else replay(given, texts, flags)
            for method, flags in methods.items()}


def keeps_texts(records):
    """Whether a row's texts are those of plain decoding: speculative sampling keeps only their distribution, and another
    program has numbers of its own."""
    return not any(record.get("program") == llama_cpp.PROGRAM for record in records) and not any(settings.get("verify") == "rejection" and settings.get("temperature", 0) > 0
                   for settings in (record.get("settings", {}) for record in records))


def num_differing(rounds):
    """Number of texts that differ from those of ar."""
    plain = [record["output_tokens"] for record in max((found["ar"] for found in rounds), key=len)]
    return sum(text != record["output_tokens"] for found in rounds for records in found.values() if keeps_texts(records)
               for text, record in zip(plain, records))


def compare(given, methods_at, tables_of, counted_limit=None, is_timed=lambda method: True):
    """Decodes every task at every temperature with all methods, interleaved, and exits.

    @param methods_at     (temperature) -> flags by method name, in the order in which they are run, with "ar"
    @param tables_of      (name, records in which passes are counted, by method, records of each round, by
                          method): prints the tables of one task and returns them for figures.json
    @param counted_limit  prompts in which passes are counted, by replays of plainly decoded texts; None: those
                          of the first round
    @param is_timed       (method name) -> whether it is timed; otherwise only its passes are counted
    """
    if given.acceptance_only and counted_limit is None:
        counted_limit = given.limit
    rows = methods_at(given.temperatures[0]).values()
    check_llama(rows)
    if counted_limit is not None and any(map(is_llama, rows)):
        fail("--llama: expected texts that are decoded; those of another program cannot be replayed")
    tables, differing = [], 0
    with open(given.out / "records.jsonl", "w") as file:
        for prompts, temperature in itertools.product(given.prompts, given.temperatures):
            methods = methods_at(temperature)
            to_time = {method: flags for method, flags in methods.items() if is_timed(method)}
            if counted_limit is not None:
                counted = replay_all(given, methods, prompts, temperature, counted_limit)
            rounds = [decode_all(given, methods if counted_limit is None and i == 0 else to_time,
                                 prompts, temperature, given.limit) for i in range(given.rounds)]
            if counted_limit is None:
                counted = rounds[0]
            for found in rounds if counted_limit is None else [counted, *rounds]:
                file.writelines(json.dumps(record | {"row": method}) + "\n"
                                for method, records in found.items() for record in records)
            differing += num_differing([counted, *rounds])
            runs = {method: [found[method] for found in rounds if method in to_time] for method in methods}
            of_inputs = input_words(given, prompts, given.limit if counted_limit is None else counted_limit)
            for found in tables_of(f"{prompts.stem}, temperature {temperature:g}", counted, runs):
                tables.append(found | {"input_words": of_inputs})
            print(f"words of an input: {of_inputs['decoded']:.1f}; of all {of_inputs['records']} records "
                  f"{of_inputs['all']:.1f}", flush=True)
    run = {"processor": processor_name(), "cores": len(os.sched_getaffinity(0)), "commit": commit_of(given.runtime),
           "date": time.strftime("%Y-%m-%d"), "command": command_line(), "tables": tables}
    (given.out / "figures.json").write_text(json.dumps(run) + "\n")
    if differing:
        print(f"\n{NAME}: {differing} texts differ from plain decoding", file=sys.stderr)
        sys.exit(1)
    if given.rounds > 0:
        others = [method for method, records in counted.items() if not keeps_texts(records)]
        print("\nEvery text is the same with every method, token for token" + (f", but with {', '.join(others)}: --verify rejection keeps only the distribution, and another program has other texts." if others else "."))
