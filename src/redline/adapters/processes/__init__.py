"""Commands as process trees: started by a warm helper, watched, captured, ended completely."""
