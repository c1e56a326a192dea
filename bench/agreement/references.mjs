// Where the TypeScript language service sees references, across all files of a project.
// First line on standard input: {files: [...]}; then one line {path, start} per question.
// `spots` is the service's answer; `more` what it answers when asked again at the seams of
// CommonJS that it stopped at, until nothing new comes, and every place of a JavaScript file
// whose definition, asked for there, is the very one.
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
const SCRIPT = /\.[cm]?jsx?$/;
let served, spelled;

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
    spelled = undefined;
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
  for (const spot of pointing(asked.path, asked.start, more)) {
    if (seen.has(String(spot))) continue;
    seen.add(String(spot));
    more.push(spot);
  }
  console.log(JSON.stringify({ ...asked, spots, more }));
}

// Asked from the other end: the places of the same name whose definition is the one at `start`,
// or what that one brings in under its own name, or where it is given away.
function pointing(path, start, known) {
  const node = SCRIPT.test(path) && nodeAt(path, start);
  if (!node) return [];
  const goals = new Set([[path, start], ...meant(node), ...known.filter(isGiven)].map(String));
  const found = places(node).filter((spot) => definitions(...spot).some((one) => goals.has(one)));
  if (madeBy(node)) return found;
  // What brings the name into such a file says of itself that it is the definition.
  const first = new Map(found.map((spot) => [spot[0], spot]));
  const rest = [...first.values()].flatMap(([file, at]) =>
    answer(file, seam(file, at) ?? at).filter(([other]) => other === file && file !== path),
  );
  return [...found, ...rest];
}

// What else is the definition: of a class the constructor that `new` leads to, of a name that is
// brought in unchanged what it is.
function meant(node) {
  const path = node.getSourceFile().fileName;
  if (ts.isClassLike(node.parent)) {
    const makers = node.parent.members.filter(ts.isConstructorDeclaration);
    return makers.map((maker) => [path, maker.getStart()]);
  }
  const isBrought = ts.isBindingElement(node.parent) && !node.parent.propertyName;
  return isBrought && isSeam(node.parent) ? definitions(path, node.getStart()) : [];
}

function isGiven([path, start]) {
  const node = SCRIPT.test(path) && nodeAt(path, start);
  return node && !ts.isBindingElement(node.parent) && seam(path, start) !== undefined;
}

function madeBy(node) {
  return ts.isConstructorDeclaration(node) ? node.parent : undefined;
}

function definitions(path, start) {
  try {
    const found = served.getDefinitionAtPosition(path, start) ?? [];
    return found.map(({ fileName, textSpan }) => String([fileName, nameIn(fileName, textSpan)]));
  } catch {
    return [];
  }
}

// Where the name begins in what the service says a definition is: of `exports.name` its last word.
function nameIn(fileName, { start, length }) {
  const text = served.getProgram().getSourceFile(fileName)?.text.slice(start, start + length) ?? "";
  return start + (/^[\w$.]+$/.test(text) ? text.lastIndexOf(".") + 1 : 0);
}

// Every place of the scripts that spells a name; of a constructor those that make its class.
function places(node) {
  if (!spelled) {
    spelled = new Map();
    for (const source of served.getProgram().getSourceFiles()) {
      if (SCRIPT.test(source.fileName)) note(source, source);
    }
  }
  const made = madeBy(node);
  const words = made ? [`new ${made.name?.text}`, "super"] : [node.text];
  return words.flatMap((word) => spelled.get(word) ?? []);
}

function note(source, node) {
  const isWord = ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
  if (isWord || node.kind === ts.SyntaxKind.SuperKeyword) {
    const calls = ts.isNewExpression(node.parent) && node.parent.expression === node;
    for (const name of [node.getText(source), ...(calls ? [`new ${node.text}`] : [])]) {
      if (!spelled.has(name)) spelled.set(name, []);
      spelled.get(name).push([source.fileName, node.getStart(source)]);
    }
  }
  ts.forEachChild(node, (child) => note(source, child));
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
// binds, the name in `module.exports = { name }`, and the other one of `exports.name = name`.
function seam(path, start) {
  const node = SCRIPT.test(path) && nodeAt(path, start);
  if (!node) return undefined;
  const source = node.getSourceFile();
  const parent = node.parent;
  if (ts.isBindingElement(parent)) {
    return isSeam(parent) ? parent.name.getStart(source) : undefined;
  }
  if (ts.isPropertyAccessExpression(parent) && isRequire(parent.expression)) {
    const named = ts.isVariableDeclaration(parent.parent) && parent.parent.name;
    return named && ts.isIdentifier(named) ? named.getStart(source) : undefined;
  }
  const assigned = ts.isBinaryExpression(parent) ? parent : parent.parent;
  if (assigned && ts.isBinaryExpression(assigned) && isExported(assigned.left)) {
    const isName = node === assigned.left.name && ts.isIdentifier(assigned.right);
    const other = isName ? assigned.right : node === assigned.right && assigned.left.name;
    return other ? other.getStart(source) : undefined;
  }
  const given =
    ts.isShorthandPropertyAssignment(parent) ||
    (ts.isPropertyAssignment(parent) && parent.initializer === node);
  if (!given || !ts.isBinaryExpression(parent.parent.parent)) return undefined;
  const target = parent.parent.parent.left.getText(source);
  return target === "module.exports" ? parent.name.getStart(source) : undefined;
}

function isExported(node) {
  return (
    ts.isPropertyAccessExpression(node) && /^(module\.)?exports$/.test(node.expression.getText())
  );
}

function isSeam(element) {
  return isRequire(element.parent.parent.initializer);
}

function isRequire(node) {
  return node && ts.isCallExpression(node) && node.expression.getText() === "require";
}

function nodeAt(path, start) {
  const source = served.getProgram().getSourceFile(path);
  return source && touching(source, source, start);
}

function touching(source, node, start) {
  const isName = ts.isIdentifier(node) || ts.isPrivateIdentifier(node);
  const named = isName || ts.isConstructorDeclaration(node);
  if (named && node.getStart(source) === start) return node;
  return ts.forEachChild(node, (child) =>
    child.pos <= start && start < child.end ? touching(source, child, start) : undefined,
  );
}
