"""Shapes of YAML that are hard to take apart."""

from __future__ import annotations

# What stands before, again and again, and behind; a path in the middle and its new value.
YAML_SHAPES = {
    "JSON": (
        '{"rows": [\n',
        '  {{"id": {n}, "name": "user {n}", "tags": ["a"], "x": {{"y": null, "z": 1.50}}}},\n',
        "  null]}\n",
        "rows[{}].name",
        '"new"',
    ),
    "tiny documents": ("", "---\na: {n}\n", "", "a", "2"),
    "one scalar": ("a: 1\nt: |\n", "  some lines: of text\n", "b: 2\n", "b", "3"),
    "tabs in literals": ("", "k{n}:\n  run: |\n    a:\n    \tmake\t# b\n", "", "k{}.run", "x"),
    "tags": (
        "Resources:\n",
        (
            "  R{n}:\n    Type: AWS::S3::Bucket\n    Properties:\n"
            '      Name: !Sub "${{Stack}}-{n}"\n      Key: !GetAtt Other.Arn\n'
        ),
        "",
        "Resources.R{}.Type",
        "AWS::SNS::Topic",
    ),
    "tags in lists": (
        "Resources:\n",
        (
            "  Fn{n}:\n    Type: AWS::Lambda::Function\n    Properties:\n"
            "      Role: !GetAtt Role{n}.Arn\n      Url: !Sub https://${{Api}}.x/{n}\n"
            '      Size: !If [IsProd, !Ref Large, !Ref "Small"]\n      Name: !Join\n'
            "        - '-'\n        - - !Ref AWS::Region\n          - !FindInMap [M, !Ref X, y]\n"
            '      Zone: !Select [0, !Split [",", !ImportValue zones]]\n'
        ),
        "",
        "Resources.Fn{}.Type",
        "AWS::SNS::Topic",
    ),
    "OpenAPI in JSON": (
        '{\n  "openapi": "3.1.0",\n  "paths": {\n',
        (
            '    "/v1/res{n}/{{id}}": {{\n      "get": {{\n        "operationId": "get{n}",\n'
            '        "parameters": [\n          {{\n            "name": "id",\n'
            '            "schema": {{\n              "type": "string"\n            }}\n'
            '          }}\n        ],\n        "responses": {{\n          "200": {{\n'
            '            "description": "OK, it\'s \\"fine\\": [{n}",\n            "schema": {{\n'
            '              "$ref": "#/components/schemas/S{n}"\n            }}\n'
            "          }}\n        }}\n      }}\n    }},\n"
        ),
        '    "/last": {}\n  }\n}\n',
        "paths['/v1/res{}/{{id}}'].get.operationId",
        '"new"',
    ),
    "images in JSON": (
        '{"cells": [\n',
        '  {{"id": {n}, "outputs": [{{"data": {{"png": "' + "iVBORw0KGgo" * 5000 + '"}}}}]}},\n',
        '  null], "last": 1}\n',
        "last",
        "2",
    ),
    "blank lines": ("", "k{n}: {n}\n" + "\n" * 9, "", "k{}", "2"),
    "one gap": ("a: 1\n", "\n", "b: 2\n", "b", "3"),
    "bangs in literals": ("", "k{n}: |\n  set a=!x! b\n  !y!z {n}\n", "", "k{}", "x"),
    "directive": ("%TAG !e! tag:e,1:\n---\n", "k{n}: !e!x {n}\n", "", "k{}", "2"),
    "sets": ("--- !!set\n", "? item{n}\n", "", "item{}", "x"),
}
# So many levels around each other, with entries at every one.
LEVELS = 40
# Measured at 10 KB too.
SMALL = ("JSON", "tags", "tags in lists", "OpenAPI in JSON", "blank lines", "tabs in literals")
