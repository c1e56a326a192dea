// Reads requests {text, document, path} as JSON lines; answers what npm `yaml` reads there.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { parseAllDocuments, visit } = await import(pathToFileURL(process.argv[2]).href);

function plain(node) {
  if (node === null || node === undefined || node.value === null) return null;
  if (node.items === undefined) {
    return node.source !== undefined && node.value === undefined
      ? { alias: node.source }
      : { value: String(node.value), type: typeof node.value, tag: node.tag ?? null };
  }
  const entries = node.items.map((item) =>
    item !== null && "key" in item && item.items === undefined
      ? [plain(item.key), plain(item.value)]
      : plain(item),
  );
  return { entries, tag: node.tag ?? null };
}

function read({ text, document, path }) {
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  const all = Array.isArray(documents) ? documents : [];
  for (const one of all) {
    if (one.errors.length) return { error: String(one.errors[0].message) };
    const known = new Set();
    let missing = null;
    visit(one, {
      Node(_, node) { if (node.anchor) known.add(node.anchor); },
      Alias(_, node) { if (!known.has(node.source)) missing = node.source; },
    });
    if (missing) return { error: `undefined alias ${missing}` };
  }
  const chosen = all[document];
  if (chosen === undefined) return { value: null };
  let node = chosen.contents;
  for (const step of path) {
    if (typeof step === "number") node = node?.items?.[step];
    else node = node?.items?.find((pair) => String(pair.key?.value ?? pair.key ?? "") === step)?.value;
    if (node === undefined) return { value: { absent: step } };
  }
  return { value: plain(node) };
}

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try { answer = read(JSON.parse(line)); } catch (error) { answer = { error: String(error) }; }
  process.stdout.write(JSON.stringify(answer) + "\n");
}
