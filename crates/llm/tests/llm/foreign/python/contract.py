"""The contract as a foreign peer has it: generated from our own file, without our additions to it.

Importing this gives `messages` and `services`. The field numbers from 100 on are ours alone; peers that do not know them
must get along without, so they are taken out before the code is generated.
"""

import re
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

OURS = Path(__file__).resolve().parents[6] / "proto/llm/v1/llm.proto"

folder = tempfile.TemporaryDirectory(prefix="tarsy-contract-")
path = Path(folder.name) / "llm/v1/llm.proto"
path.parent.mkdir(parents=True)
path.write_text(re.sub(r"^.* = 1\d\d;\n", "", OURS.read_text(), flags=re.MULTILINE))
arguments = [f"-I{folder.name}", f"--python_out={folder.name}", f"--grpc_python_out={folder.name}", str(path)]
if protoc.main(["protoc", *arguments]) != 0:
    sys.exit("the contract does not compile")
sys.path.insert(0, folder.name)

from llm.v1 import llm_pb2 as messages  # noqa: E402
from llm.v1 import llm_pb2_grpc as services  # noqa: E402, F401

assert "state" not in messages.GenerateResponse.DESCRIPTOR.fields_by_name
