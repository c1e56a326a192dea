"""What the programs share: measuring, peers, archives of source text, a tokenizer, load."""
