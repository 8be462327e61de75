// What the drivers of both TypeScript SDKs share: carry out the steps of a task with a connected client and print what
// came back. Judging it is left to `tests/interop.rs`.
//
// The task is the first argument, as JSON:
//   { "server": { "command", "args", "cwd" } | "url": "http://…", "era": "legacy" | "auto" | "modern",
//     "roots": [{ "uri", "name" }] | null, "steps": [[method, params], …] }
// The answer is one JSON document on stdout:
//   { "version": negotiated protocol version, "asks": how often roots were asked for, "results": one a step }

const METHODS = {
  'tools/list': (client) => client.listTools(),
  'tools/call': (client, params) => client.callTool(params),
  'resources/list': (client) => client.listResources(),
  'resources/templates/list': (client) => client.listResourceTemplates(),
  'resources/read': (client, params) => client.readResource(params),
};

/** `connect(task, listRoots)` gives a connected client and the protocol version that was negotiated. */
export async function drive(connect) {
  const task = JSON.parse(process.argv[2]);
  let asks = 0;
  const listRoots = () => {
    asks += 1;
    return { roots: [...task.roots] };
  };
  const { client, version } = await connect(task, listRoots);
  const results = [];
  for (const [method, params] of task.steps) {
    if (method === 'add root') {
      task.roots.push(params);
      // The 2026 revision has no such notification.
      if (version < '2026') await client.sendRootsListChanged();
      results.push(null);
    } else {
      results.push(await METHODS[method](client, params).catch(protocolError));
    }
  }
  await client.close();
  console.log(JSON.stringify({ version, asks, results }));
}

/** An error that the server answered with; any other failure is the driver's own and ends it. */
function protocolError(error) {
  if (typeof error.code !== 'number') throw error;
  return { error: { code: error.code, message: error.message } };
}
