"""The review room: a person reads what agents did, comments, decides and takes back.

`page` is the page in the browser, `held` what waits for a person's decision, `comments` what a
person says about a line. `adapters` keep comments and questions, `commands` are `redline review`
and `redline held`, `wiring` connects the page to a workspace. Agents edit and undo without it.
"""
