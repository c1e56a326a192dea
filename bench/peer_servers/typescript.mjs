// A one-tool server on the TypeScript SDK: node typescript.mjs MODULES PORT
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
const require = createRequire(process.argv[2] + "/");
const { pathToFileURL } = await import("node:url");
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);
const { McpServer } = await load("@modelcontextprotocol/server");
const { NodeStreamableHTTPServerTransport } = await load("@modelcontextprotocol/node");

const sessions = new Map();
const make = () => {
  const server = new McpServer({ name: "typescript", version: "1" });
  server.registerTool("echo", { description: "Echo" }, async () => ({
    content: [{ type: "text", text: "hello" }],
  }));
  return server;
};

createServer(async (req, res) => {
  let transport = sessions.get(req.headers["mcp-session-id"]);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await make().connect(transport);
  }
  await transport.handleRequest(req, res);
}).listen(Number(process.argv[3]), "127.0.0.1");
