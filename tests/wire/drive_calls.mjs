// Lists and calls tools with the official TypeScript client: drive_calls.mjs COMMAND CALLS
import { pathToFileURL } from 'node:url';

const base = process.env.NODE_MODULES;
const at = name => import(pathToFileURL(`${base}/@modelcontextprotocol/client/dist/${name}.mjs`));
const { Client } = await at('index');
const { StdioClientTransport } = await at('stdio');

const [[command, ...args], calls] = process.argv.slice(2).map(text => JSON.parse(text));
const client = new Client({ name: 'typescript-tests', version: '1.0.0' }, { capabilities: {} });
await client.connect(new StdioClientTransport({ command, args, env: process.env }));
const listed = await client.listTools();
const failed = [];
let session = '';
for (const [name, given] of calls) {
  const filled = JSON.parse(JSON.stringify(given).replaceAll('$session', session));
  const result = await client.callTool({ name, arguments: filled });
  const said = JSON.stringify(result.content).match(/session ([0-9a-f]{16})/);
  session = said?.[1] ?? session;
  if (result.isError) failed.push([name, result.content]);
}
console.log(JSON.stringify({ tools: listed.tools.map(tool => tool.name), failed }));
await client.close();
