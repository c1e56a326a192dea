// Whether TypeScript can parse each text on standard input, a JSON string per line.
// Usage: node parse_check.mjs TYPESCRIPT
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const { parseDiagnostics } = ts.createSourceFile("a.ts", JSON.parse(line), ts.ScriptTarget.ESNext);
  console.log(parseDiagnostics.length === 0);
}
