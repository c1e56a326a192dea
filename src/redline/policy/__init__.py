"""The policy room: rules about changes, and what becomes of a change that a rule holds.

`reading` reads the file into the `model`, `judging` applies it, `field_changes`
finds the values that a change touches. `adapters` keep the file and what is held, and judge beneath
the locks of a commit; `holding` waits for a person, `command_rules` treats what commands write, and
`command` is `redline policy`. Without a policy file no change needs this package.
"""
