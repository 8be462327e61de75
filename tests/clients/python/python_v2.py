"""Drives a server with version 2 of the Python SDK, in either era."""

import asyncio
from contextlib import asynccontextmanager

import mcp_types
from mcp import Client, MCPError, StdioServerParameters

from steps import drive

MODES = {"legacy": "legacy", "auto": "auto", "modern": "2026-07-28"}


@asynccontextmanager
async def connect(task, list_roots):
    server = task.get("url") or StdioServerParameters(**task["server"])
    async with Client(server, mode=MODES[task["era"]], list_roots_callback=list_roots) as client:
        yield client, client.protocol_version


asyncio.run(drive(connect, mcp_types, MCPError))
