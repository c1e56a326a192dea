"""Values with exact numbers, and the operations every proposal consists of."""
