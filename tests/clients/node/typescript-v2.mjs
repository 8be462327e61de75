// Drives a server with version 2 of the TypeScript SDK, in either era.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { drive } from './steps.mjs';

const NEGOTIATION = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

await drive(async (task, listRoots) => {
  const capabilities = task.roots ? { roots: { listChanged: true } } : {};
  const versionNegotiation = { mode: NEGOTIATION[task.era] };
  const client = new Client({ name: 'typescript-v2', version: '0' }, { capabilities, versionNegotiation });
  if (task.roots) client.setRequestHandler('roots/list', listRoots);
  const transport = task.url
    ? new StreamableHTTPClientTransport(new URL(task.url))
    : new StdioClientTransport(task.server);
  await client.connect(transport);
  return { client, version: client.getNegotiatedProtocolVersion() };
});
