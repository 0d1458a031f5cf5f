"""A client in Python, generated from the contract: it asks a service, runs the tools that are called, and asks again.

It prints every message it gets as a line of JSON, with the name of what is in it; `unknown` is what it does not know.
It knows nothing of reasoning state, so it sends none back. Called as `model_client.py ADDRESS CONFIG`,
where CONFIG is the `llm_config` as JSON.
"""

import json
import sys

import grpc
from google.protobuf.json_format import MessageToDict

from contract import messages as m
from contract import services

address, config = sys.argv[1:]
tool = m.ToolDefinition(
    name="k8s.pods", description="Lists pods.", parameters_schema='{"type": "object", "properties": {}}'
)
conversation = [m.ConversationMessage(role="user", content="Why?")]


def ask(stub):
    request = m.GenerateRequest(
        session_id="session",
        execution_id="execution",
        messages=conversation,
        llm_config=m.LLMConfig(**json.loads(config)),
        tools=[tool],
    )
    reply = m.ConversationMessage(role="assistant")
    for response in stub.Generate(request, timeout=30):
        kind = response.WhichOneof("content")
        content = MessageToDict(getattr(response, kind), preserving_proto_field_name=True) if kind else None
        print(json.dumps({"kind": kind or ("final" if response.is_final else "unknown"), "content": content}))
        if kind == "text":
            reply.content += content["content"]
        elif kind == "tool_call":
            call = response.tool_call
            reply.tool_calls.append(m.ToolCall(id=call.call_id, name=call.name, arguments=call.arguments))
    return reply


with grpc.insecure_channel(address) as channel:
    stub = services.LLMServiceStub(channel)
    reply = ask(stub)
    while reply.tool_calls:
        conversation.append(reply)
        for call in reply.tool_calls:
            result = m.ConversationMessage(
                role="tool", content="three pods", tool_call_id=call.id, tool_name=call.name
            )
            conversation.append(result)
        reply = ask(stub)
