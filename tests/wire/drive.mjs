// Drives a server with the official TypeScript client: drive.mjs stdio|http legacy|modern TARGET
import { pathToFileURL } from 'node:url';

const base = process.env.NODE_MODULES;
const at = name => import(pathToFileURL(`${base}/@modelcontextprotocol/client/dist/${name}.mjs`));
const { Client, StreamableHTTPClientTransport } = await at('index');
const { StdioClientTransport } = await at('stdio');

const [transport, era, target] = process.argv.slice(2);
const connection =
  transport === 'http'
    ? new StreamableHTTPClientTransport(new URL(target))
    : (([command, ...args]) => new StdioClientTransport({ command, args, env: process.env }))(JSON.parse(target));
const client = new Client(
  { name: 'typescript-tests', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: {} } },
    versionNegotiation: { mode: era === 'legacy' ? 'legacy' : 'auto' },
  },
);
client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { colour: 'green' } }));
await client.connect(connection);
const listed = await client.listTools();
const call = (name, args) => client.callTool({ name, arguments: args });
const echo = await call('echo', { text: 'hi' });
const ask = await call('ask', {});
const refused = await call('refuse', { how: 'path' });
console.log(
  JSON.stringify({
    tools: listed.tools.map(tool => tool.name),
    echo: echo.content[0].text,
    ask: ask.content[0].text,
    refused: refused.isError,
    version: client.getNegotiatedProtocolVersion(),
  }),
);
await client.close();
