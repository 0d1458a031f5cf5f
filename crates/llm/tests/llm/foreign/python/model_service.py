"""A model service in Python, generated from the contract. What it does is what the last message asks for.

It says on standard output where it listens, and when a call of it was cancelled.
"""

import itertools
from concurrent import futures

import grpc
from google.protobuf.json_format import MessageToJson

from contract import messages as m
from contract import services


def text(content):
    return m.GenerateResponse(text=m.TextDelta(content=content))


def everything(request, context):
    yield m.GenerateResponse(thinking=m.ThinkingDelta(content="Hm."))
    yield text("Grüße ")
    yield text("aus Python")
    call = m.ToolCallDelta(call_id="a", name="k8s.pods", arguments='{"b" : 1}')
    yield m.GenerateResponse(tool_call=call)
    yield m.GenerateResponse(code_execution=m.CodeExecutionDelta(code="print(1)", result="1"))
    source = m.GroundingChunkInfo(uri="u", title="t")
    yield m.GenerateResponse(grounding=m.GroundingDelta(web_search_queries=["q"], grounding_chunks=[source]))
    usage = m.UsageInfo(input_tokens=7, output_tokens=5, total_tokens=12, thinking_tokens=3)
    yield m.GenerateResponse(usage=usage)
    yield m.GenerateResponse(is_final=True)


def echo(request, context):
    yield text(MessageToJson(request, indent=None))
    yield m.GenerateResponse(is_final=True)


def error(code, retryable):
    def answer(request, context):
        yield text("Half")
        info = m.ErrorInfo(message=f"It was {code}.", code=code, retryable=retryable)
        yield m.GenerateResponse(error=info, is_final=True)

    return answer


def status(code):
    def answer(request, context):
        yield text("Half")
        context.abort(code, "No more.")

    return answer


def cut(request, context):
    yield text("Half")


def endless(request, context):
    # The call is complete only when it has ended.
    context.add_callback(lambda: print("the call was cancelled", flush=True))
    for number in itertools.count():
        if not context.is_active():
            return
        yield text(f"{number} ")


ANSWERS = {
    "everything": everything,
    "echo": echo,
    "cut": cut,
    "endless": endless,
    **{code: error(code, retryable=False) for code in ("credentials", "invalid_request", "invalid_backend")},
    **{code: error(code, retryable=False) for code in ("provider_error", "partial_stream_error", "internal")},
    "max_retries": error("max_retries", retryable=True),
    "overloaded": error("provider_error", retryable=True),
    **{code.name: status(code) for code in grpc.StatusCode if code is not grpc.StatusCode.OK},
}


class ModelService(services.LLMServiceServicer):
    def Generate(self, request, context):
        yield from ANSWERS[request.messages[-1].content](request, context)


server = grpc.server(futures.ThreadPoolExecutor(max_workers=8))
services.add_LLMServiceServicer_to_server(ModelService(), server)
port = server.add_insecure_port("127.0.0.1:0")
server.start()
print(f"listening on http://127.0.0.1:{port}", flush=True)
server.wait_for_termination()
