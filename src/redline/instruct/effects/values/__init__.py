"""Values as words say them: typed as their place asks, in the shape they must keep."""
