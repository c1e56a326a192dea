"""The document as a dictionary: its nodes, and what each run of words can name in it."""
