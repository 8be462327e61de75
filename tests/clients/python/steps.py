"""What the drivers of both Python SDKs share: carry out the steps of a task with a connected client and print what came
back. Judging it is left to `tests/interop.rs`. `../node/steps.mjs` describes the task and the answer."""

import json
import sys

METHODS = {
    "tools/list": lambda client, _: client.list_tools(),
    "tools/call": lambda client, params: client.call_tool(params["name"], params["arguments"]),
    "resources/list": lambda client, _: client.list_resources(),
    "resources/templates/list": lambda client, _: client.list_resource_templates(),
    "resources/read": lambda client, params: client.read_resource(params["uri"]),
}


async def drive(connect, types, protocol_error):
    """`connect(task, list_roots)` is a context with a connected client and the protocol version that was negotiated."""
    task = json.loads(sys.argv[1])
    asks = 0

    async def list_roots(_context):
        nonlocal asks
        asks += 1
        return types.ListRootsResult(roots=[types.Root(**root) for root in task["roots"]])

    results = []
    async with connect(task, list_roots if task["roots"] is not None else None) as (client, version):
        for method, params in task["steps"]:
            if method == "add root":
                task["roots"].append(params)
                # The 2026 revision has no such notification.
                if version < "2026":
                    await client.send_roots_list_changed()
                results.append(None)
                continue
            try:
                result = await METHODS[method](client, params)
                results.append(result.model_dump(by_alias=True, mode="json"))
            except protocol_error as failure:
                results.append({"error": {"code": failure.error.code, "message": failure.error.message}})
    print(json.dumps({"version": version, "asks": asks, "results": results}))
