// Drives a server with version 1 of the TypeScript SDK, which speaks the legacy era alone.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { drive } from './steps.mjs';

await drive(async (task, listRoots) => {
  const capabilities = task.roots ? { roots: { listChanged: true } } : {};
  const client = new Client({ name: 'typescript-v1', version: '0' }, { capabilities });
  if (task.roots) client.setRequestHandler(ListRootsRequestSchema, listRoots);
  const transport = task.url
    ? new StreamableHTTPClientTransport(new URL(task.url))
    : new StdioClientTransport(task.server);
  // The client tells the version to its transport only.
  let version;
  const pass = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (negotiated) => {
    version = negotiated;
    pass?.(negotiated);
  };
  await client.connect(transport);
  return { client, version };
});
