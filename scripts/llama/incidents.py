"""Investigates every demo incident with a small real model, with ReAct and with function calling.

Called by `make test-llama` as `incidents.py TARSY FOLDER`. The configuration is that of `tarsy demo` with another
provider; both collecting agents use the loop under test. Reports and figures are written to FOLDER/reports. Every
investigation must end by itself, and most must have called tools; the quality of the reports is not checked.

Set LLAMA_INCIDENTS or LLAMA_LOOPS to a comma-separated list to run a part.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from model import serve, small

WINDOW_TOKENS = 16384
PROVIDER = "llama: {{ type: openai-compatible, base_url: {url}/v1, model: qwen2.5-coder-0.5b, context_window: {window} }}"
LOOPS = {"react": "react-stage", "function-calling": "native-thinking"}
INCIDENTS = ("checkout-oom", "expired-certificate", "slow-database")
ENDED = ("completed", "completed_with_errors")


def selected(variable, names):
    wanted = os.environ.get(variable)
    return [name for name in names if not wanted or name in wanted.split(",")]


def investigate(tarsy, arguments, environment=None):
    """Returns the session as `tarsy investigate` prints it last, and the output on stderr."""
    command = [tarsy, "investigate", "--json", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    results = [json.loads(line) for line in process.stdout.splitlines() if '"type":"result"' in line]
    if not results:
        sys.exit(f"{' '.join(map(str, command))} printed no result:\n{process.stderr[-4000:]}")
    return results[-1]["data"], process.stderr


def configuration(tarsy, incident, loop, url, folder):
    """Writes the configuration of the demo with the model under test; returns its directory and the alert."""
    session, _ = investigate(tarsy, ["--incident", incident, "--pace", "fast", "--data-dir", folder])
    directory = folder / "demo-config"
    text = (directory / "tarsy.yaml").read_text()
    provider = PROVIDER.format(url=url, window=WINDOW_TOKENS)
    text = re.sub(r"recording: \{ type: replay.*", provider, text).replace("llm_provider: recording", "llm_provider: llama")
    text = re.sub(r"iteration_strategy: (react-stage|native-thinking)", f"iteration_strategy: {LOOPS[loop]}", text)
    (directory / "tarsy.yaml").write_text(text)
    alert = folder / "alert.json"
    alert.write_text(session["input"]["alert_data"])
    return directory, session["alert_type"], alert


def run(tarsy, incident, loop, url, reports):
    name = f"{loop}-{incident}"
    folder = reports / name
    folder.mkdir(parents=True, exist_ok=True)
    directory, alert_type, alert = configuration(tarsy, incident, loop, url, folder)
    started = time.monotonic()
    outputs = ["--output", reports / f"{name}.md", "--record", reports / f"{name}.json"]
    arguments = ["--config-dir", directory, "--data-dir", folder / "run", "--alert-type", alert_type]
    session, _ = investigate(tarsy, [*arguments, *outputs, alert])
    figures = {
        "incident": incident,
        "loop": loop,
        "status": session["status"],
        "error": session["error_message"],
        "model calls": session["llm_interactions"],
        "tool calls": session["mcp_interactions"],
        "input tokens": session["input_tokens"],
        "output tokens": session["output_tokens"],
        "seconds": round(time.monotonic() - started),
    }
    print(json.dumps(figures), flush=True)
    return figures


def main():
    tarsy, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    server = serve(small(folder / "model"), WINDOW_TOKENS, threads=os.cpu_count())
    reports = folder / "reports"
    runs = [
        run(tarsy, incident, loop, server.listening_address, reports)
        for loop in selected("LLAMA_LOOPS", LOOPS)
        for incident in selected("LLAMA_INCIDENTS", INCIDENTS)
    ]
    (reports / "figures.json").write_text(json.dumps(runs, indent=2))
    stuck = [run for run in runs if run["status"] not in ENDED]
    without_tools = [run for run in runs if run["tool calls"] == 0]
    if stuck or 2 * len(without_tools) >= len(runs):
        sys.exit(f"{len(stuck)} of {len(runs)} investigations did not end by themselves, {len(without_tools)} called no tool.")
    print(f"{len(runs)} investigations ended by themselves, {len(runs) - len(without_tools)} of them called tools. Reports: {reports}")


main()
