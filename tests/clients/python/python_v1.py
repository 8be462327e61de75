"""Drives a server with version 1 of the Python SDK, which speaks the legacy era alone."""

import asyncio
from contextlib import asynccontextmanager

from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from steps import drive


@asynccontextmanager
async def connect(task, list_roots):
    url = task.get("url")
    transport = streamable_http_client(url) if url else stdio_client(StdioServerParameters(**task["server"]))
    async with transport as streams, ClientSession(*streams[:2], list_roots_callback=list_roots) as session:
        initialized = await session.initialize()
        yield session, initialized.protocolVersion


asyncio.run(drive(connect, types, McpError))
