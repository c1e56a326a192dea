"""One change set on its way to the disk; each phase is a type that has what the phase knows.

`LockedPaths` -> `CheckedSteps` -> `AnnouncedChange` -> `StagedChange` -> `CommittedChange`.
"""
