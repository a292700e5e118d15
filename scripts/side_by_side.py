"""What comparisons of methods have in common: decoding in turns, and the figures of what was decoded.

Times are sums over prompts: decoding alone, from the first token to the last, and with the prefill.
Speed-ups, of each, are over the `ar` of the same round; mean and standard deviation over rounds. The
exit status is 0, 1 when a text differs from that of `ar`, 2 for a wrong argument.
"""

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = Path(sys.argv[0]).name


def fail(message):
    print(f"{NAME}: {message}", file=sys.stderr)
    sys.exit(2)


def parser(description, limit, max_new, temperatures):
    """With the options that every comparison has. @param limit, max_new, temperatures  defaults"""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("model", help="a GGUF file")
    options.add_argument("prompts", nargs="+", type=Path, help="JSON lines, one file a task")
    options.add_argument("-l", "--limit", type=int, default=limit, help=f"prompts a task; 0: all (default {limit})")
    options.add_argument("--turns", choices=["first", "all"], default="first", help="of a prompt (default first)")
    options.add_argument("-n", "--max-new", type=int, default=max_new, help=f"tokens of a text (default {max_new})")
    options.add_argument("-r", "--rounds", type=int, default=3, help="(default 3)")
    options.add_argument("-t", "--temperatures", type=float, nargs="+", default=temperatures,
                         help=f"(default {' '.join(map(str, temperatures))})")
    options.add_argument("--threads", type=int, default=0, help="0, the default: the physical cores")
    options.add_argument("--artifacts", help="what was calibrated; without this flag that of checkpoints/")
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
    return given


def artifacts(given):
    """Flags for methods that take something calibrated."""
    return ["--artifacts", given.artifacts] if given.artifacts else []


def run(program, *command):
    """What a command prints."""
    done = subprocess.run([program, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(done.stderr.strip())
    return done.stdout


def decode(given, prompts, temperature, flags, limit):
    lines = run(given.runtime, "decode", "-m", given.model, "--prompts", prompts, "--limit", str(limit),
                "--turns", given.turns, "-n", str(given.max_new), "--temperature", str(temperature),
                "-t", str(given.threads), "--json", "-", "--quiet", *flags)
    return [json.loads(line) for line in lines.splitlines()]


def replay(given, texts, temperature, flags):
    """The records of texts as if they had been decoded with other flags. @param given  with `calibrate`"""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as answers:
        answers.writelines(json.dumps(record) + "\n" for record in texts)
        answers.flush()
        lines = run(given.calibrate, "replay", "-m", given.model, "--answers", answers.name,
                    "--temperature", str(temperature), "-t", str(given.threads), "--json", "-", "--quiet", *flags)
    what_was_said = ("id", "task", "turn", "prompt_tokens", "output_tokens")
    return [{key: record[key] for key in what_was_said if key in record} | json.loads(line)
            for record, line in zip(texts, lines.splitlines(), strict=True)]


def settings_of(given, flags):
    """What the flags of a method come to."""
    short = argparse.Namespace(**{**vars(given), "max_new": 2})
    return decode(short, given.prompts[0], 0, flags, 1)[0]["settings"]


def made(records):
    """Tokens that passes made; the first comes from the prefill."""
    return sum(len(record["output_tokens"]) - 1 for record in records)


def rates(rounds):
    """Tokens per second in each round."""
    return {"tokens_per_second": [made(records) / sum(r["decode_seconds"] for r in records) for records in rounds],
            "with_prefill": [sum(len(r["output_tokens"]) for r in records) /
                             sum(r["prefill_seconds"] + r["decode_seconds"] for r in records) for records in rounds]}


def all_figures(counted, runs):
    """By method. @param counted, runs  as `compare` shows them"""
    plain = rates(runs["ar"])
    rows = {}
    for method, records in counted.items():
        row = rows[method] = {"tokens_per_pass": made(records) / max(1, sum(r["passes"] for r in records))}
        row |= rates(runs[method])
        for speed_up, rate in (("speed_up", "tokens_per_second"), ("speed_up_with_prefill", "with_prefill")):
            row[speed_up] = [a / b for a, b in zip(row[rate], plain[rate])]
    return rows


def mean(values, digits):
    if not values:
        return ""
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.fmean(values):.{digits}f} ± {spread:.{digits}f}"


def speeds(row):
    """The columns that every table ends with."""
    return (f"{mean(row['tokens_per_second'], 0):<14} {mean(row['speed_up'], 2):<14} "
            f"{mean(row['with_prefill'], 0):<14} {mean(row['speed_up_with_prefill'], 2)}")


SPEEDS = f"{'tokens/s':<14} {'speed-up':<14} {'with prefill':<14} speed-up"


def decode_all(given, methods, prompts, temperature, limit):
    """Records by method."""
    return {method: decode(given, prompts, temperature, flags, limit) for method, flags in methods.items()}


def replay_all(given, methods, prompts, temperature, limit):
    """Records by method, of which only those of ar are decoded."""
    texts = decode(given, prompts, temperature, methods["ar"], limit)
    return {method: texts if method == "ar" else replay(given, texts, temperature, flags)
            for method, flags in methods.items()}


def num_differing(rounds):
    """Texts that are not those of ar."""
    plain = [record["output_tokens"] for record in max((found["ar"] for found in rounds), key=len)]
    return sum(text != record["output_tokens"] for found in rounds for records in found.values()
               for text, record in zip(plain, records))


def compare(given, methods_at, tables_of, counted_limit=None, is_timed=lambda method: True):
    """Decodes every task at every temperature with all methods in turns, and ends the program.

    @param methods_at     of a temperature: flags by name, in the order in which they are run, "ar" among them
    @param tables_of      prints tables of one task and gives them back for figures.json, of a name, the
                          records in which passes are counted, by method, and those of each round, by method
    @param counted_limit  prompts in which passes are counted, by replays of plainly decoded texts; None: those
                          of the first round
    @param is_timed       of a method's name; without it, only its passes are counted
    """
    tables, differing = [], 0
    with open(given.out / "records.jsonl", "w") as kept:
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
                kept.writelines(json.dumps(record | {"row": method}) + "\n"
                                for method, records in found.items() for record in records)
            differing += num_differing([counted, *rounds])
            runs = {method: [found[method] for found in rounds if method in to_time] for method in methods}
            tables += tables_of(f"{prompts.stem}, temperature {temperature:g}", counted, runs)
    (given.out / "figures.json").write_text(json.dumps(tables, indent=1) + "\n")
    if differing:
        print(f"\n{NAME}: {differing} texts differ from plain decoding", file=sys.stderr)
        sys.exit(1)
    if given.rounds > 0:
        print("\nEvery text is the same with every method, token for token.")
