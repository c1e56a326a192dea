// Where the TypeScript language service sees references, across all files of a project.
// First line on standard input: {files: [...]}; then one line {path, start} per question.
// Usage: node references.mjs PATH_OF_THE_TYPESCRIPT_PACKAGE < requests
import { createRequire } from "node:module";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);
const options = {
  allowJs: true,
  noLib: true,
  jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
};
let served;

function service(files) {
  const known = new Set(files);
  const texts = new Map();
  const read = (name) => {
    if (!known.has(name)) return undefined;
    if (!texts.has(name)) texts.set(name, readFileSync(name, "utf8"));
    return texts.get(name);
  };
  return ts.createLanguageService({
    getScriptFileNames: () => files,
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const text = read(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => "/",
    getCompilationSettings: () => options,
    getDefaultLibFileName: () => "lib.d.ts",
    fileExists: (name) => known.has(name),
    readFile: read,
    directoryExists: (name) => existsSync(name) && statSync(name).isDirectory(),
  });
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (asked.files) {
    served = service(asked.files);
    continue;
  }
  let found = [];
  try {
    found = served.findReferences(asked.path, asked.start) ?? [];
  } catch {
    // The service itself fails on some files: nothing to compare with.
  }
  const spots = found.flatMap((group) =>
    group.references.map((spot) => [spot.fileName, spot.textSpan.start]),
  );
  console.log(JSON.stringify({ ...asked, spots }));
}
