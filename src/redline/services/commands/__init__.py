"""Running commands: one gate for every tool that runs them, and what to say about the sandbox.

`gate` reads from the text of a line which permissions it needs; `check` decides whether it may run;
`remarks` says what is worth knowing once it ran. The kernel enforces; these explain.
"""
