"""Types of TypeScript, as far as code shows them: what expressions evaluate to, and what is asked
of them. A rename follows members by these."""
