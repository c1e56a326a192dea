"""Write the table of the interfaces in Go's standard library, from the pinned toolchain.

    python -m scripts.make_go_interfaces

The table tells a method that a library's interface may call from one that no library knows.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from bench.services.gopls import environment

TABLE = Path(__file__).parent.parent / "src" / "redline" / "code" / "go" / "standard.py"
HEAD = '''"""The interfaces of Go's standard library; written by scripts/make_go_interfaces.py.

INTERFACES maps each interface to the packages that its methods refer to, a colon, and the methods.
An interface without methods here has unexported ones. ALIASES maps type aliases to their types.
"""

from __future__ import annotations

INTERFACES = {
    "error": ":Error() string",
'''
PROGRAM = """package main

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"os"
	"sort"
	"strings"
)

func nameless(given *types.Tuple) *types.Tuple {
	var found []*types.Var
	for i := 0; i < given.Len(); i++ {
		found = append(found, types.NewVar(token.NoPos, nil, "", given.At(i).Type()))
	}
	return types.NewTuple(found...)
}

func show(iface *types.Interface) (string, string) {
	uses := map[string]bool{}
	var methods, paths []string
	for i := 0; i < iface.NumMethods(); i++ {
		m := iface.Method(i)
		if !m.Exported() {
			return "", ""
		}
		s := m.Type().(*types.Signature)
		plain := types.NewSignatureType(
			nil, nil, nil, nameless(s.Params()), nameless(s.Results()), s.Variadic())
		text := types.TypeString(plain, func(p *types.Package) string {
			uses[p.Path()] = true
			return p.Name()
		})
		methods = append(methods, m.Name()+strings.TrimPrefix(text, "func"))
	}
	for path := range uses {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	return strings.Join(paths, " "), strings.Join(methods, "; ")
}

func main() {
	imports := importer.ForCompiler(token.NewFileSet(), "source", nil)
	for _, path := range os.Args[1:] {
		pkg, err := imports.Import(path)
		if err != nil {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			object, isType := pkg.Scope().Lookup(name).(*types.TypeName)
			if !isType || !object.Exported() {
				continue
			}
			named, isNamed := types.Unalias(object.Type()).(*types.Named)
			if isNamed && object.IsAlias() {
				other := named.Obj()
				if other.Pkg() != nil && other.Exported() {
					fmt.Printf("%s.%s\\t%s.%s\\n", path, name, other.Pkg().Path(), other.Name())
				}
				continue
			}
			iface, isInterface := object.Type().Underlying().(*types.Interface)
			if !isNamed || !isInterface || named.TypeParams().Len() > 0 {
				continue
			}
			if iface.NumMethods() > 0 && iface.IsMethodSet() {
				paths, methods := show(iface)
				fmt.Printf("%s.%s\\t%s\\t%s\\n", path, name, paths, methods)
			}
		}
	}
}
"""


def main() -> int:
    """Ask the toolchain and write the table."""
    known = {**environment(), "CGO_ENABLED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "go.mod").write_text("module table\n\ngo 1.22\n")
        (Path(folder) / "main.go").write_text(PROGRAM)
        listed = _run(["go", "list", "std"], folder, known).split()
        public = [path for path in listed if not {"internal", "vendor"} & set(path.split("/"))]
        rows = _run(["go", "run", ".", *public], folder, known).splitlines()
    parts = [row.split("\t") for row in rows]
    known_as = [f'    "{part[0]}": "{part[1]}",\n' for part in parts if len(part) == 2]
    made = [f'    "{part[0]}": "{part[1]}:{part[2]}",\n' for part in parts if len(part) == 3]
    aliases = "}\nALIASES = {\n" + "".join(name for name in known_as if "/internal/" not in name)
    TABLE.write_text(HEAD + "".join(made) + aliases + "}\n", "utf-8")
    return 0


def _run(argv: list[str], folder: str, known: dict[str, str]) -> str:
    home = Path(known["GOROOT"]) / "bin" / argv[0]
    done = subprocess.run(
        [str(home), *argv[1:]], cwd=folder, env=known, capture_output=True, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
