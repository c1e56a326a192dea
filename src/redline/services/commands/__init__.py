"""Running commands: one gate for every tool that runs them, and what to say about the sandbox.

`gate` decides whether a line may run; `jobs` runs it and says what is worth knowing. The kernel
enforces; these explain.
"""
