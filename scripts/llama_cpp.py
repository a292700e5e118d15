"""llama.cpp's programs beside ours, on the same file, tokens and threads. Their folder is where they were built."""

import json
import os
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from running_server import RunningServer, without_sleeping_threads

PROGRAM = "llama.cpp"


def server_command(folder, model, threads, sequences=1, context=8192):
    """Of llama-server, with flash attention, without a cache of prompts. @param context  tokens of a sequence"""
    return [str(Path(folder) / "llama-server"), "-m", str(model), "--host", "127.0.0.1", "-t", str(threads), "-tb", str(threads), "-c", str(context * sequences),
            "-np", str(sequences), "--flash-attn", "on", "--no-ui", "--offline", "--cache-ram", "0"]


def decode(folder, flags, model, threads, temperature, texts):
    """Lets llama-server generate after the prompts of our records, as many tokens as these have.
    @param flags  more of llama-server's, for instance of its drafts
    @return records like ours, as far as it tells"""
    command = [*server_command(folder, model, threads), *flags]
    with tempfile.TemporaryDirectory() as logs, RunningServer(command, Path(logs) / "log", env=without_sleeping_threads()) as server:
        complete(server.port, texts[0]["prompt_tokens"][:64], 4, temperature)  # its first request is slower
        return [record_of(text, complete(server.port, text["prompt_tokens"], len(text["output_tokens"]), temperature), flags, temperature)
                for text in texts]


def complete(port, prompt, tokens, temperature):
    samplers = ["top_k"] if temperature == 0 else ["temperature"]
    request = {"prompt": prompt, "n_predict": tokens, "temperature": temperature, "top_k": 1 if temperature == 0 else 0, "samplers": samplers,
               "seed": 1, "ignore_eos": True, "cache_prompt": False, "return_tokens": True}
    asked = urllib.request.Request(f"http://127.0.0.1:{port}/completion", json.dumps(request).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=3600) as answer:
        return json.loads(answer.read())


def record_of(text, answer, flags, temperature):
    timings = answer["timings"]
    drafted, accepted = (timings.get(name, 0) for name in ("draft_n", "draft_n_accepted"))
    return {key: text[key] for key in ("id", "task", "turn", "prompt_tokens") if key in text} | {
        "program": PROGRAM, "output_tokens": answer["tokens"], "settings": {"flags": flags, "temperature": temperature},
        "passes": timings["predicted_n"] - 1 - accepted, "drafted": drafted, "accepted": accepted, "drafts": [],
        "prefill_seconds": timings["prompt_ms"] / 1e3, "decode_seconds": timings["predicted_ms"] / 1e3}


def bench(folder, model, threads, depths, prefill=512, tokens=32):
    """{"prefill", "one row": {depth: tokens/s}} by llama-bench, once."""
    command = [Path(folder) / "llama-bench", "-m", model, "-t", str(threads), "-fa", "1", "-p", str(prefill), "-n", str(tokens),
               "-d", ",".join(map(str, depths)), "-r", "1", "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, env=without_sleeping_threads())
    if done.returncode != 0:
        raise RuntimeError(f"llama-bench: {done.stderr[-2000:]}")
    found = {"prefill": {}, "one row": {}}
    for one in json.loads(done.stdout):
        found["one row" if one["n_gen"] else "prefill"][one["n_depth"]] = one["avg_ts"]
    return found


def why_not(folder, program):
    """Why this program of llama.cpp cannot be run from the folder; empty where it can."""
    return "" if os.access(Path(folder) / program, os.X_OK) else f"expected {program} in {folder}, found none: build llama.cpp first"
