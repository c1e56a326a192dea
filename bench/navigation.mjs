// What the TypeScript language service calls the symbols of the files named on standard input,
// one JSON object per symbol. Usage: node navigation.mjs PATH_OF_THE_TYPESCRIPT_PACKAGE < files
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const ts = createRequire(import.meta.url)(process.argv[2]);

function service(file, text) {
  const host = {
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) =>
      name === file ? ts.ScriptSnapshot.fromString(text) : undefined,
    getCurrentDirectory: () => "/",
    getCompilationSettings: () => ({ allowJs: true, noLib: true, noResolve: true }),
    getDefaultLibFileName: () => "lib.d.ts",
    fileExists: (name) => name === file,
    readFile: () => undefined,
  };
  return ts.createLanguageService(host, ts.createDocumentRegistry(), ts.LanguageServiceMode.Syntactic);
}

// The tree folds overloads into one item with several spans, and gives constructors no name.
function rows(item, source) {
  const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const name = item.kind === "constructor" ? "constructor" : item.text;
  const folded = item.spans.slice(item.nameSpan ? 1 : 0);
  const named = item.nameSpan ? [lineAt(item.nameSpan.start)] : [];
  if (!item.nameSpan && item.kind !== "constructor") return [];
  const lines = new Set([...named, ...folded.map((span) => lineAt(span.start))]);
  return [...lines].map((line) => ({ name, kind: item.kind, line }));
}

// The tree lists the types of JSDoc comments before some statements only; the syntax tree has all.
function documented(source) {
  const found = [];
  const visit = (node) => {
    for (const tag of (node.jsDoc ?? []).flatMap((doc) => [...(doc.tags ?? [])])) {
      const name = tag.name ?? tag.fullName;
      if (!ts.isJSDocTypedefTag(tag) && !ts.isJSDocCallbackTag(tag)) continue;
      if (!name || !ts.isIdentifier(name)) continue;
      const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1;
      found.push({ name: name.text, kind: "type", line });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (source.endOfFileToken) visit(source.endOfFileToken);
  return found;
}

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const visit = (item, depth) => {
    for (const row of rows(item, source)) {
      console.log(JSON.stringify({ path, ...row, top: depth === 1 }));
    }
    for (const child of item.childItems ?? []) visit(child, depth + 1);
  };
  visit(service(path, text).getNavigationTree(path), 0);
  for (const row of documented(source)) console.log(JSON.stringify({ path, ...row, top: true }));
}
