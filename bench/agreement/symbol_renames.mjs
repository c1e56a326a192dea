// What the TypeScript language service renames in a whole project, for each place on standard
// input as a JSON line {path, start}. Usage: node symbol_renames.mjs TYPESCRIPT FILE_WITH_PATHS
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);
const paths = readFileSync(process.argv[3], "utf8").split("\n").filter(Boolean);
const options = {
  allowJs: true, strict: true, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.ReactJSX, types: [],
};
const texts = new Map(paths.map((path) => [path, readFileSync(path, "utf8")]));
const host = {
  getScriptFileNames: () => paths,
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => {
    const text = texts.get(name) ?? (existsSync(name) ? readFileSync(name, "utf8") : undefined);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => "/",
  getCompilationSettings: () => options,
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: existsSync,
  readFile: (name) => readFileSync(name, "utf8"),
};
const service = ts.createLanguageService(host);
for await (const line of createInterface({ input: process.stdin })) {
  const { path, start } = JSON.parse(line);
  // Without that preference exported names are followed, with it they are kept for others.
  const answers = [false, true].map((providePrefixAndSuffixTextForRename) => {
    const preferences = { providePrefixAndSuffixTextForRename };
    const found = service.findRenameLocations(path, start, false, false, preferences) ?? [];
    return found.map((spot) => [
      spot.fileName, spot.textSpan.start, spot.textSpan.start + spot.textSpan.length,
      spot.prefixText ?? "", spot.suffixText ?? "",
    ]);
  });
  console.log(JSON.stringify(answers));
}
