"""Fields that are not named but implied by what is said of their record."""
