// The TypeScript service as a judge: for each project on a line of stdin, the edits of a rename.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const { files, old, fresh } = JSON.parse(line);
  const names = Object.keys(files).map((name) => "/w/" + name);
  const read = (name) => files[name.replace(/^\/w\//, "")];
  const options = {
    allowJs: true, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext, jsx: ts.JsxEmit.ReactJSX,
    moduleResolution: ts.ModuleResolutionKind.Bundler, noLib: true, types: [],
  };
  const host = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => names,
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => read(name) === undefined ? undefined : ts.ScriptSnapshot.fromString(read(name)),
    getCurrentDirectory: () => "/w",
    getDefaultLibFileName: () => "/lib.d.ts",
    fileExists: (name) => read(name) !== undefined,
    readFile: read,
    directoryExists: (name) => names.some((each) => each.startsWith(name.replace(/\/$/, "") + "/")),
    getDirectories: () => [],
    useCaseSensitiveFileNames: () => true,
  };
  const service = ts.createLanguageService(host);
  const edits = service.getEditsForFileRename("/w/" + old, "/w/" + fresh, ts.getDefaultFormatCodeSettings(), {});
  const after = { ...files };
  for (const { fileName, textChanges } of edits) {
    const name = fileName.replace(/^\/w\//, "");
    let text = files[name];
    for (const { span, newText } of [...textChanges].sort((a, b) => b.span.start - a.span.start)) {
      text = text.slice(0, span.start) + newText + text.slice(span.start + span.length);
    }
    after[name] = text;
  }
  after[fresh] = after[old];
  if (fresh !== old) delete after[old];
  console.log(JSON.stringify(after));
}
