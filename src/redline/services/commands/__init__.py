"""Running commands: one gate for every tool that runs them, and what to say about the sandbox.

`gate` decides whether a line may run; `output` says what is worth knowing once it ran. The kernel
enforces; these explain.
"""
