"""Calls a real model on a llama.cpp server with `tarsy llm`, over the three wire formats that the server supports.

Tests streaming, token usage, a prompt that exceeds the context window, and cancellation, which emulators do not
reproduce. Called by `make test-llama` as `wires.py TARSY`; exits with 1 at the first failed check.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from model import serve, tiny

WINDOW_TOKENS = 1024
PROVIDERS = """
llm_providers:
  chat-completions: {{ type: openai-compatible, base_url: {url}/v1, model: smollm2, max_output_tokens: 400 }}
  responses: {{ type: openai, base_url: {url}/v1, model: smollm2, max_output_tokens: 400 }}
  messages: {{ type: anthropic, base_url: {url}, model: smollm2, max_output_tokens: 400 }}
"""


class Client:
    """Runs `tarsy llm` against the server."""

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
        """Returns the exit code and all chunks."""
        process = self.start(provider, prompt)
        output, _ = process.communicate(timeout=120)
        return process.returncode, [json.loads(line) for line in output.splitlines()]

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


def check(name, passed, details):
    print(f"  {'ok' if passed else 'FAILED'}: {name}: {details}", flush=True)
    if not passed:
        sys.exit(1)


def check_reply(client, provider):
    code, chunks = client.ask(provider, "Say hello in one sentence.")
    texts = [chunk["text"] for chunk in chunks if "text" in chunk]
    check("text is streamed in chunks", code == 0 and len(texts) > 1, f"{len(texts)} of {''.join(texts)!r}")
    usage = [chunk["usage"] for chunk in chunks if "usage" in chunk][-1]
    check("usage is reported", usage["input_tokens"] > 0 and usage["output_tokens"] > 0, usage)


def check_window(client, provider):
    code, chunks = client.ask(provider, "word " * 2 * WINDOW_TOKENS)
    error = chunks[-1].get("error", {})
    check("a prompt that is too long is reported as such", (code, error.get("kind")) == (1, "context_too_long"), error.get("message"))


def check_cancellation(client, provider):
    process = client.start(provider, "Write a very long story about a lighthouse, with every detail.")
    while "text" not in json.loads(process.stdout.readline()):
        pass
    check("the server is generating a reply", client.is_busy(), "busy")
    process.kill()
    process.communicate(timeout=10)
    started = time.monotonic()
    check("the server stops after the client disconnects", client.wait_until_free(2), f"free after {time.monotonic() - started:.2f} s")


def main():
    server = serve(tiny(), WINDOW_TOKENS, threads=1)
    with tempfile.TemporaryDirectory() as folder:
        client = Client(sys.argv[1], server.listening_address, folder)
        for provider in ("chat-completions", "responses", "messages"):
            print(provider, flush=True)
            check_reply(client, provider)
            check_window(client, provider)
            check_cancellation(client, provider)
    print("All checks passed over three wire formats.")


main()
