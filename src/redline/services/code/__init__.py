"""Questions about source code: look up symbols, find references, fit snippets to a budget.

`lookup` reads files and the index for one answer; `references` finds references with a worker,
which runs `reference_search`.
"""
