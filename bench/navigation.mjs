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

for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const visit = (item) => {
    if (item.nameSpan) {
      const line = source.getLineAndCharacterOfPosition(item.nameSpan.start).line + 1;
      console.log(JSON.stringify({ path: file, name: item.text, kind: item.kind, line }));
    }
    for (const child of item.childItems ?? []) visit(child);
  };
  visit(service(file, text).getNavigationTree(file));
}
