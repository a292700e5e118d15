"""What comparisons of methods have in common: decoding in turns, and the figures of what was decoded.

Times are sums over prompts: decoding alone, from the first token to the last, and with the prefill.
Speed-ups are over the `ar` of the same round; mean and standard deviation over rounds. The exit
status is 0, 1 when a text differs from that of `ar`, 2 for a wrong argument.
"""

import argparse
import json
import statistics
import subprocess
import sys
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


def decode(given, prompts, temperature, flags):
    path = given.out / "texts.jsonl"
    command = [given.runtime, "decode", "-m", given.model, "--prompts", prompts, "--limit", str(given.limit),
               "-n", str(given.max_new), "--temperature", str(temperature), "-t", str(given.threads),
               "--json", path, "--quiet", *flags]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        fail(done.stderr.strip())
    return [json.loads(line) for line in path.read_text().splitlines()]


def made(records):
    """Tokens that passes made; the first comes from the prefill."""
    return sum(len(record["output_tokens"]) - 1 for record in records)


def figures(runs, plain):
    """Of one method, from the records of each round. @param plain  tokens per second of ar, None for itself"""
    rates = [made(records) / sum(r["decode_seconds"] for r in records) for records in runs]
    whole = [sum(len(r["output_tokens"]) for r in records) /
             sum(r["prefill_seconds"] + r["decode_seconds"] for r in records) for records in runs]
    return {"tokens_per_pass": made(runs[0]) / max(1, sum(r["passes"] for r in runs[0])), "tokens_per_second": rates,
            "with_prefill": whole, "speed_up": [a / b for a, b in zip(rates, plain)] if plain else [1.0] * len(rates)}


def all_figures(runs):
    """By method. @param runs  records of each round, by method, ar among them"""
    plain = figures(runs["ar"], None)["tokens_per_second"]
    return {method: figures(rounds, plain) for method, rounds in runs.items()}


def mean(values, digits):
    spread = statistics.stdev(values) if len(values) > 1 else 0
    return f"{statistics.fmean(values):.{digits}f} ± {spread:.{digits}f}"


def speeds(row):
    """The columns that every table ends with."""
    return f"{mean(row['tokens_per_second'], 0):<16} {mean(row['with_prefill'], 0):<16} {mean(row['speed_up'], 2)}"


SPEEDS = f"{'tokens/s':<16} {'with prefill':<16} speed-up"


def compare(given, methods, tables_of):
    """Decodes every task at every temperature with all methods in turns, and ends the program.

    @param methods    flags by name, in the order in which they are run, "ar" among them
    @param tables_of  prints tables of one task and gives them back for figures.json, of a name and of
                      the records of each round, by method
    """
    tables, differing = [], 0
    with open(given.out / "records.jsonl", "w") as kept:
        for prompts in given.prompts:
            for temperature in given.temperatures:
                runs = {method: [] for method in methods}
                for _ in range(given.rounds):
                    for method, flags in methods.items():
                        runs[method].append(decode(given, prompts, temperature, flags))
                        kept.writelines(json.dumps(record | {"row": method}) + "\n" for record in runs[method][-1])
                plain = [record["output_tokens"] for record in runs["ar"][0]]
                for rounds in runs.values():
                    differing += sum(a != r["output_tokens"] for records in rounds for a, r in zip(plain, records))
                tables += tables_of(f"{prompts.stem}, temperature {temperature:g}", runs)
    (given.out / "figures.json").write_text(json.dumps(tables, indent=1) + "\n")
    if differing:
        print(f"\n{NAME}: {differing} texts differ from plain decoding", file=sys.stderr)
        sys.exit(1)
    print("\nEvery text is the same with every method, token for token.")
