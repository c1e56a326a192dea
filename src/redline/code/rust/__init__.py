"""References in Rust: modules and paths, scopes, and the types that members belong to."""
