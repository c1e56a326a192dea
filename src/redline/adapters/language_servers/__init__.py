"""Language servers in the sandbox: found, asked, and ended when idle."""
