"""A short definition in each language, of which large files are made."""

from __future__ import annotations

PLAIN_PIECES = {
    "python": ("def f{0}(a):\n    b = a + {0}\n    return b\n\n"),
    "javascript": ("function f{0}(a) {{\n  let b = a + {0};\n  return b;\n}}\n\n"),
    "typescript": ("function f{0}(a: number): number {{\n  let b = a + {0};\n  return b;\n}}\n\n"),
    "tsx": ("function f{0}(a: number): number {{\n  let b = a + {0};\n  return b;\n}}\n\n"),
    "go": ("func f{0}(a int) int {{\n\tb := a + {0}\n\treturn b\n}}\n\n"),
    "rust": ("fn f{0}(a: i32) -> i32 {{\n    let b = a + {0};\n    b\n}}\n\n"),
    "java": ("class C{0} {{\n    int f{0}(int a) {{\n        return a;\n    }}\n}}\n\n"),
    "c": ("int f{0}(int a) {{\n    int b = a + {0};\n    return b;\n}}\n\n"),
    "cpp": ("int f{0}(int a) {{\n    int b = a + {0};\n    return b;\n}}\n\n"),
    "csharp": ("class C{0} {{\n    int f{0}(int a) {{\n        return a;\n    }}\n}}\n\n"),
    "ruby": ("def f{0}(a)\n  b = a + {0}\n  b * 2\nend\n\n"),
    "php": ("function f{0}($a) {{\n    $b = $a + {0};\n    return $b;\n}}\n\n"),
    "bash": ('f{0}() {{\n  local b=$1\n  echo "$b"\n}}\n\n'),
    "scala": (
        "object C{0} {{\n  def f{0}(a: Int): Int = {{\n    val b = a + {0}\n    b\n  }}\n}}\n\n"
    ),
    "kotlin": ("fun f{0}(a: Int): Int {{\n    val b = a + {0}\n    return b\n}}\n\n"),
    "swift": ("func f{0}(a: Int) -> Int {{\n    let b = a + {0}\n    return b\n}}\n\n"),
    "lua": ("function f{0}(a)\n  local b = a + {0}\n  return b\nend\n\n"),
    "haskell": ("f{0} :: Int -> Int\nf{0} a = b\n  where\n    b = a + {0}\n\n"),
    "elixir": ("defmodule C{0} do\n  def f{0}(a) do\n    b = a + {0}\n    b\n  end\nend\n\n"),
    "hcl": ('resource "a" "f{0}" {{\n  name = "b"\n  size = {0}\n}}\n\n'),
    "zig": ("fn f{0}(a: i32) i32 {{\n    const b = a + {0};\n    return b;\n}}\n\n"),
    "dart": ("int f{0}(int a) {{\n  var b = a + {0};\n  return b;\n}}\n\n"),
    "solidity": (
        "contract C{0} {{\n"
        "    function f{0}(int a) public returns (int) {{\n"
        "        return a;\n"
        "    }}\n"
        "}}\n"
        "\n"
    ),
    "nix": ("  f{0} = {{\n    a = 1;\n    b = {0};\n  }};\n\n"),
    "css": (".f{0} {{\n  color: red;\n  margin: {0}px;\n}}\n\n"),
}
# What is before and behind the definitions.
PLAIN_EDGES = {"go": ("package main\n\n", ""), "php": ("<?php\n\n", ""), "nix": ("{\n", "}\n")}
