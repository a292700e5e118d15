#!/usr/bin/env python3
"""What real clients get from `runtime serve`: see scripts/clients.

  check_clients.py URL KEY [CLIENT…]

Each client's function asks for what its users do, and compares the answers with each other: at temperature 0 all clients
and ways of asking give one text. Exit status 1 if anything is not as it should be.
"""

import concurrent.futures
import json
import math
import os
import shlex
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

QUESTION = "Name three colours."
MESSAGES = [{"role": "user", "content": QUESTION}]
ROOT = Path(__file__).resolve().parents[2]
CLIENTS = {}


def client(function):
    CLIENTS[function.__name__.replace("_", "-")] = function
    return function


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def expect_equal(found, expected, what):
    expect(found == expected, f"{what}: expected {expected!r}, found {found!r}")


class Server:
    def __init__(self, url, key):
        self.url, self.key = url, key
        self.model = json.loads(self.curl("/v1/models"))["data"][0]["id"]
        answer = json.loads(self.curl("/v1/chat/completions", self.body()))
        self.text = answer["choices"][0]["message"]["content"]  # of the question, at temperature 0

    @property
    def api(self):
        return self.url + "/v1"

    def body(self, **more):
        return {"messages": MESSAGES, "temperature": 0, "max_tokens": 40, **more}

    def curl(self, path, body=None, *flags):
        command = ["curl", "--silent", "--no-buffer", "--header", f"Authorization: Bearer {self.key}", *flags]
        if body is not None:
            command += ["--header", "Content-Type: application/json", "--data", json.dumps(body)]
        return subprocess.run([*command, self.url + path], check=True, capture_output=True, text=True).stdout


@client
def curl(server):
    frames = server.curl("/v1/chat/completions", server.body(stream=True, stream_options={"include_usage": True})).split("\n\n")
    expect_equal(frames[-2:], ["data: [DONE]", ""], "the end of the stream")
    expect(all(frame.startswith("data: ") for frame in frames[:-1]), "a frame is not data")
    events = [json.loads(frame[len("data: "):]) for frame in frames[:-2]]
    expect_equal(events[0]["choices"][0]["delta"], {"role": "assistant", "content": ""}, "the first delta")
    expect_equal(events[-1]["choices"], [], "the choices of the usage frame")
    text = "".join(event["choices"][0]["delta"].get("content", "") for event in events[:-1])
    expect_equal(text, server.text, "the streamed text")
    expect(events[-2]["choices"][0]["finish_reason"] in ("stop", "length"), "the reason of the end")
    for wrong, status in (({"temperature": "hot"}, "400"), ({"model": "other"}, "404")):
        found = server.curl("/v1/chat/completions", server.body(**wrong), "--output", "/dev/null", "--write-out", "%{http_code}")
        expect_equal(found, status, f"the status of {wrong}")
    # One that goes away leaves the server to the others.
    subprocess.run(["curl", "--silent", "--max-time", "0.3", "--header", f"x-api-key: {server.key}", "--header",
                    "Content-Type: application/json", "--output", "/dev/null", "--data",
                    json.dumps(server.body(stream=True, max_tokens=200, n=16)), server.url + "/v1/chat/completions"])
    expect_equal(json.loads(server.curl("/health")), {"status": "ok"}, "the health")
    expect("outrider_generation_tokens_total" in server.curl("/metrics"), "no metrics")


@client
def openai(server):
    import openai as library
    from openai import OpenAI

    api = OpenAI(base_url=server.api, api_key=server.key, max_retries=0)
    expect_equal([model.id for model in api.models.list()], [server.model], "the models")
    ask = dict(model=server.model, messages=MESSAGES, temperature=0, max_tokens=40)
    answer = api.chat.completions.create(**ask)
    expect_equal(answer.choices[0].message.content, server.text, "the text")
    expect(answer.system_fingerprint.startswith("outrider-"), "no fingerprint")
    expect(answer.usage.prompt_tokens_details.cached_tokens >= 0, "no cached tokens")
    expect("draft_n" in answer.model_extra["timings"], "no timings")

    chunks = list(api.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    expect_equal(text, server.text, "the streamed text")
    expect_equal(chunks[-1].usage.completion_tokens, answer.usage.completion_tokens, "the streamed usage")

    every = api.chat.completions.create(
        model=server.model, messages=[{"role": "developer", "content": "Be brief."}, *MESSAGES], max_completion_tokens=20, n=2,
        temperature=0.9, top_p=0.9, presence_penalty=0.1, frequency_penalty=0.1, seed=7, stop=["\n\n\n"], logit_bias={"5": -1},
        logprobs=True, top_logprobs=3, user="somebody", extra_body={"top_k": 50, "min_p": 0.01, "speculation": "pld"})
    expect_equal(len(every.choices), 2, "the choices")
    content = every.choices[0].logprobs.content
    expect(all(len(one.top_logprobs) == 3 and one.logprob <= 0 for one in content), "the log-probabilities")

    for speculation in (False, "pld", {"method": "ngrammys"}, "check"):
        same = api.chat.completions.create(**ask, extra_body={"speculation": speculation})
        expect_equal(same.choices[0].message.content, server.text, f"the text with {speculation}")
        if speculation == "check":
            expect(same.model_extra["outrider"]["texts"][0]["check"]["equal"], "the check")

    predicted = api.chat.completions.create(**ask, prediction={"type": "content", "content": server.text})
    expect_equal(predicted.choices[0].message.content, server.text, "the predicted text")
    expect(predicted.usage.completion_tokens_details.accepted_prediction_tokens > 0, "no token of the prediction")

    prompt = "The sky is blue, and the grass is"
    completion = api.completions.create(model=server.model, prompt=prompt, max_tokens=4, temperature=0)
    tokens = json.loads(server.curl("/tokenize", {"content": prompt}))["tokens"]
    same = api.completions.create(model=server.model, prompt=tokens, max_tokens=4, temperature=0, echo=True, logprobs=1)
    expect_equal(same.choices[0].text, prompt + completion.choices[0].text, "the echoed text")
    expect_equal(same.choices[0].logprobs.token_logprobs[0], None, "what the first token was worth")
    expect_equal(len(same.choices[0].logprobs.token_logprobs), len(tokens) + same.usage.completion_tokens, "the scores")

    def refusal(kind, **wrong):
        try:
            api.chat.completions.create(**{**ask, **wrong})
        except kind as error:
            return error
        raise AssertionError(f"{wrong} was not refused")

    expect_equal(refusal(library.BadRequestError, temperature=1000).param, "temperature", "the parameter")
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    expect_equal(refusal(library.BadRequestError, tools=tools).code, "unsupported", "the code")
    expect_equal(refusal(library.NotFoundError, model="other").code, "model_not_found", "the code")
    try:
        OpenAI(base_url=server.api, api_key="wrong", max_retries=0).models.list()
        raise AssertionError("a wrong key was taken")
    except library.AuthenticationError as error:
        expect_equal(error.code, "invalid_api_key", "the code")

    # The line that docs/SERVING.md has.
    line = next(line for line in (ROOT / "docs/SERVING.md").read_text().split("\n") if line.startswith("    python3 -c 'from openai"))
    words = shlex.split(line)
    code = words[2].replace("http://127.0.0.1:8080", server.url).replace('"none"', repr(server.key))
    expect(server.url in code and server.key in code, f"another line of docs/SERVING.md than was expected: {line}")
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    expect(said.strip(), "the line of docs/SERVING.md printed nothing")

    # More at once than may wait: who is refused tries again, as the server says.
    patient = OpenAI(base_url=server.api, api_key=server.key, max_retries=10)
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        texts = list(pool.map(lambda _: patient.chat.completions.create(**ask).choices[0].message.content, range(12)))
    expect_equal(set(texts), {server.text}, "the texts of many at once")


@client
def llm(server):
    folder = Path(os.environ["LLM_USER_PATH"])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "extra-openai-models.yaml").write_text(
        f"- model_id: outrider\n  model_name: {server.model}\n  api_base: {server.api}\n  api_key_name: outrider\n")
    (folder / "keys.json").write_text(json.dumps({"outrider": server.key}))
    for more in ([], ["--no-stream"]):
        command = [Path(sys.executable).with_name("llm"), "--model", "outrider", "--option", "temperature", "0", "--option",
                   "max_tokens", "40", *more, QUESTION]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        expect_equal(found.rstrip("\n"), server.text.rstrip("\n"), f"the text {more}")


@client
def langchain_openai(server):
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(base_url=server.api, api_key=server.key, model=server.model, temperature=0, max_tokens=40, max_retries=0,
                      stream_usage=True)
    answer = chat.invoke(QUESTION)
    expect_equal(answer.content, server.text, "the text")
    expect(answer.usage_metadata["output_tokens"] > 0, "no usage")
    chunks = list(chat.stream(QUESTION))
    expect_equal("".join(chunk.content for chunk in chunks), server.text, "the streamed text")
    usage = [chunk.usage_metadata for chunk in chunks if chunk.usage_metadata]
    expect_equal(usage[-1]["output_tokens"], answer.usage_metadata["output_tokens"], "the streamed usage")
    scored = chat.bind(logprobs=True, top_logprobs=2).invoke(QUESTION)
    content = scored.response_metadata["logprobs"]["content"]
    expect_equal(len(content), answer.usage_metadata["output_tokens"], "the log-probabilities")


@client
def litellm(server):
    import litellm as library

    ask = dict(model=f"openai/{server.model}", api_base=server.api, api_key=server.key, messages=MESSAGES, temperature=0,
               max_tokens=40, num_retries=0)
    answer = library.completion(**ask)
    expect_equal(answer.choices[0].message.content, server.text, "the text")
    chunks = list(library.completion(**ask, stream=True, stream_options={"include_usage": True}))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    expect_equal(text, server.text, "the streamed text")
    reasons = [chunk.choices[0].finish_reason for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason]
    expect_equal(reasons, [answer.choices[0].finish_reason], "the reason of the end")
    for wrong, kind in (({"api_key": "wrong"}, library.AuthenticationError), ({"temperature": 1000}, library.BadRequestError),
                        ({"model": "openai/other"}, library.NotFoundError)):
        try:
            library.completion(**{**ask, **wrong})
        except kind:
            continue
        raise AssertionError(f"{wrong} was not refused")


@client
def lm_eval(server):
    """Sums of log-probabilities of a text's tokens are those of `calibrate quality`, which forwards the text itself."""
    os.environ["OPENAI_API_KEY"] = server.key
    os.chdir(Path(__file__).parent / "lm_eval")  # the task names its file as seen from here
    import lm_eval as library
    from lm_eval.tasks import TaskManager

    found = library.simple_evaluate(
        model="local-completions",
        model_args={"base_url": server.api + "/completions", "model": server.model, "tokenizer_backend": "remote",
                    "auth_token": server.key, "num_concurrent": 2},
        tasks=["sentences"], task_manager=TaskManager(include_path=".", include_defaults=False), log_samples=True, bootstrap_iters=0)
    samples = found["samples"]["sentences"]
    expect(len(samples) >= 6, f"only {len(samples)} samples")
    with tempfile.TemporaryDirectory() as folder:
        for sample in samples:
            doc, (likelihood, _) = sample["doc"], sample["resps"][0][0]
            prompts = Path(folder) / "sentence.jsonl"
            prompts.write_text(json.dumps({"id": "sentence", "turns": [doc["beginning"]], "reference": " " + doc["end"]}) + "\n")
            scored = json.loads(subprocess.run(
                [ROOT / os.environ["CLIENTS_CALIBRATE"], "quality", "-m", ROOT / os.environ["CLIENTS_MODEL"], "--prompts", prompts, "--chat",
                 "raw", "--system", "", "--quiet", "--json", "-"], check=True, capture_output=True, text=True).stdout)
            expected = -scored["tokens"] * math.log(scored["perplexity"])
            expect(abs(likelihood - expected) <= 1e-4, f"the log-likelihood of {doc}: expected {expected}, found {likelihood}")


@client
def promtool(server):
    """It says nothing of an empty page, so that there is something is looked at too."""
    server.curl("/v1/chat/completions", server.body(speculation="pld"))
    page = server.curl("/metrics")
    for name in ("outrider_generation_tokens_total", "outrider_time_to_first_token_seconds_bucket", "outrider_spec_decode_num_drafts_total"):
        expect(name in page, f"no {name}")
    checked = subprocess.run([os.environ["CLIENTS_PROMTOOL"], "check", "metrics"], input=page, capture_output=True, text=True)
    expect_equal((checked.returncode, checked.stdout + checked.stderr), (0, ""), "what promtool says")


def main():
    url, key, *wanted = sys.argv[1:]
    for name in wanted:
        if name not in CLIENTS:
            print(f"check_clients.py: no client {name!r}; known: {' '.join(CLIENTS)}", file=sys.stderr)
            return 2
    server = Server(url, key)
    failed = []
    for name in wanted or CLIENTS:
        try:
            CLIENTS[name](server)
            print(f"clients: {name}: passed")
        except Exception:
            traceback.print_exc()
            print(f"clients: {name}: FAILED")
            failed.append(name)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
