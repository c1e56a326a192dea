"""What the review page keeps in the state directory: comments, and the secret of its cookies."""
