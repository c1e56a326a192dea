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

// What `const` and `let` name within a block or a loop: the tree shows it beside the module's own.
function blockNames(source) {
  const found = new Set();
  const name = (node) => {
    if (ts.isIdentifier(node)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.add(`${node.text} ${line}`);
    } else if (!ts.isOmittedExpression(node)) node.elements.forEach((part) => name(part.name ?? part));
  };
  const visit = (node, holder) => {
    const scoped = ts.isVariableDeclarationList(node) && node.flags & ts.NodeFlags.BlockScoped;
    const isTop = holder && (ts.isSourceFile(holder) || ts.isModuleBlock(holder));
    if (scoped && !isTop) node.declarations.forEach((declared) => name(declared.name));
    const inner = ts.isVariableStatement(node) ? holder : node;
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(source, undefined);
  return found;
}

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(path, "utf8");
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const within = blockNames(source);
  const visit = (item, depth) => {
    for (const row of rows(item, source)) {
      const top = depth === 1 && !within.has(`${row.name} ${row.line}`);
      console.log(JSON.stringify({ path, ...row, top }));
    }
    for (const child of item.childItems ?? []) visit(child, depth + 1);
  };
  visit(service(path, text).getNavigationTree(path), 0);
  for (const row of documented(source)) console.log(JSON.stringify({ path, ...row, top: true }));
}
