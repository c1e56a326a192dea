// Where the TypeScript language service sees references, across all files of a project.
// First line on standard input: {files: [...]}; then one line {path, start} per question.
// `spots` is the service's answer; `more` what it answers when asked again at the seams of
// CommonJS that it stopped at, until nothing new comes.
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
  const spots = answer(asked.path, asked.start);
  const seen = new Set(spots.map(String));
  const more = [...spots];
  for (let next = 0; next < more.length; next++) {
    const again = seam(...more[next]);
    for (const spot of again === undefined ? [] : answer(more[next][0], again)) {
      if (seen.has(String(spot))) continue;
      seen.add(String(spot));
      more.push(spot);
    }
  }
  console.log(JSON.stringify({ ...asked, spots, more }));
}

function answer(path, start) {
  try {
    const found = served.findReferences(path, start) ?? [];
    return found.flatMap((group) =>
      group.references.map((spot) => [spot.fileName, spot.textSpan.start]),
    );
  } catch {
    return []; // The service itself fails on some files: nothing to compare with.
  }
}

// Where to ask again: the name that `{ name } = require(...)` or `name = require(...).name`
// binds, and the name in `module.exports = { name }`.
function seam(path, start) {
  if (!/\.[cm]?js$/.test(path)) return undefined;
  const source = served.getProgram().getSourceFile(path);
  let node = source && touching(source, source, start);
  if (!node) return undefined;
  const parent = node.parent;
  if (ts.isBindingElement(parent)) {
    const declared = parent.parent.parent;
    return isRequire(declared.initializer) ? parent.name.getStart(source) : undefined;
  }
  if (ts.isPropertyAccessExpression(parent) && isRequire(parent.expression)) {
    const named = ts.isVariableDeclaration(parent.parent) && parent.parent.name;
    return named && ts.isIdentifier(named) ? named.getStart(source) : undefined;
  }
  const given =
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node);
  if (!given || !ts.isBinaryExpression(parent.parent.parent)) return undefined;
  const target = parent.parent.parent.left.getText(source);
  return target === "module.exports" ? parent.name.getStart(source) : undefined;
}

function isRequire(node) {
  return node && ts.isCallExpression(node) && node.expression.getText() === "require";
}

function touching(source, node, start) {
  if (node.getStart(source) === start && ts.isIdentifier(node)) return node;
  return ts.forEachChild(node, (child) =>
    child.pos <= start && start < child.end ? touching(source, child, start) : undefined,
  );
}
