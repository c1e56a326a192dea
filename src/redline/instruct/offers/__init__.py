"""What is offered where no reading is certain: to be chosen by the caller, never acted on."""
