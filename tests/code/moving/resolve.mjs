// Which file each import leads to, by TypeScript and the project's tsconfig.json: for each project
// on a line of stdin, a list of targets for each file, in the order of its imports.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const ts = createRequire(import.meta.url)(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const files = JSON.parse(line);
  const read = (name) => files[name.replace(/^\/w\//, "")];
  const names = Object.keys(files).map((name) => "/w/" + name);
  const host = {
    fileExists: (name) => read(name) !== undefined,
    readFile: read,
    directoryExists: (name) => names.some((each) => each.startsWith(name.replace(/\/$/, "") + "/")),
    getCurrentDirectory: () => "/w",
    useCaseSensitiveFileNames: true,
    readDirectory: () => names.filter((name) => !name.endsWith(".json")),
  };
  const read_config = (name) => ts.readConfigFile(name, read).config;
  const found = {};
  for (const name of names.filter((each) => !each.endsWith(".json"))) {
    const config = ts.findConfigFile(name.slice(0, name.lastIndexOf("/")), host.fileExists);
    const folder = config.slice(0, config.lastIndexOf("/"));
    const { options } = ts.parseJsonConfigFileContent(read_config(config), host, folder, {}, config);
    options.moduleResolution = ts.ModuleResolutionKind.Bundler;
    options.module = ts.ModuleKind.ESNext;
    found[name.slice(3)] = ts.preProcessFile(read(name), true, true).importedFiles.map(
      ({ fileName }) =>
        ts.resolveModuleName(fileName, name, options, host).resolvedModule?.resolvedFileName.slice(3) ?? null,
    );
  }
  console.log(JSON.stringify(found));
}
