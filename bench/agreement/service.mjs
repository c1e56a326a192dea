// Where the TypeScript language service would rename, and where it sees references, for names
// picked from the files given on standard input as JSON lines {path, picks: [0..1, ...]}.
// Usage: node service.mjs PATH_OF_THE_TYPESCRIPT_PACKAGE < requests
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);
const options = { allowJs: true, noLib: true, noResolve: true, jsx: ts.JsxEmit.Preserve };

function service(file, text) {
  const host = {
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) =>
      name === file ? ts.ScriptSnapshot.fromString(text) : undefined,
    getCurrentDirectory: () => "/",
    getCompilationSettings: () => options,
    getDefaultLibFileName: () => "lib.d.ts",
    fileExists: (name) => name === file,
    readFile: () => undefined,
  };
  return ts.createLanguageService(host);
}

function identifiers(source) {
  const found = [];
  const visit = (node) => {
    if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) {
      if (node.getWidth(source) > 0) found.push(node);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

for await (const request of createInterface({ input: process.stdin })) {
  const { path, picks } = JSON.parse(request);
  const text = readFileSync(path, "utf8");
  const served = service(path, text);
  const names = identifiers(served.getProgram().getSourceFile(path));
  for (const pick of names.length ? picks : []) {
    const node = names[Math.floor(pick * names.length)];
    const start = node.getStart();
    // In a specifier that preference would tell the exported name from the local one.
    const specifier = ts.isImportSpecifier(node.parent) || ts.isExportSpecifier(node.parent);
    const preferences = { providePrefixAndSuffixTextForRename: !specifier };
    const found = served.findRenameLocations(path, start, false, false, preferences) ?? [];
    const spots = found.map((spot) => [
      spot.textSpan.start,
      spot.textSpan.start + spot.textSpan.length,
      spot.prefixText ?? "",
    ]);
    console.log(JSON.stringify({ path, name: node.text, start, spots }));
  }
}
