"""English without a document: tokens, word classes, numbers, units and dates."""
