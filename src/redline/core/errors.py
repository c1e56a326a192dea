"""Everything that can go wrong, typed once; each toolset formats these in its own errors.py.

RedlineError
├── InvalidArgument            the call itself is malformed
├── PathError                  a path cannot be used
│   ├── PathDenied             ├── OutsideRoots ├── AbsolutePathDenied ├── SymlinkEscape
│   │                          └── ReadOnlyRoot
│   ├── NotFound
│   ├── AlreadyExists
│   ├── NotADirectory
│   ├── IsADirectory
│   └── NotARegularFile
├── ContentError               a file's bytes do not fit the request
│   ├── BinaryFile ├── UnsupportedEncoding ├── TooLarge
├── MatchError                 the text to change cannot be placed
│   ├── NoMatch (AlreadyApplied) ├── AmbiguousMatch ├── UnclearIndentation
│   ├── OverlappingEdits ├── InvalidPattern
├── PatchError                 a patch envelope is malformed or does not fit
├── DocumentError              a structured document
│   ├── DocumentSyntax (NestsTooDeep) ├── NodeNotFound ├── CannotApply
├── Conflict                   the world moved on
│   ├── StaleBase ├── UndoBlocked ├── Locked (LeaseLost) ├── HeldStale ├── HeldDecided
├── HistoryError               ├── UnknownOperation ├── NothingToUndo ├── AlreadyUndone
│                              └── UnknownHeld
├── Refused                    a rule says no
│   ├── ReadOnlyMode ├── RightMissing ├── PermissionRequired (GuardedWrite, RuleAsks, ChangeHeld)
│   ├── PermissionDenied (HeldRefused) ├── RuleDenied ├── PolicyUnreadable
├── LimitReached               ├── TimeLimit (Busy) ├── MemoryLimit ├── WorkerDied ├── ParserFailed
│                              └── Cancelled
├── SessionError               ├── SessionNotFound ├── SessionClosed
└── Unavailable                something outside Redline failed
    ├── WriteFailed (NotWritable) ├── GitFailed ├── SandboxUnavailable ├── StoreUnavailable
    ├── ProviderFailed └── ProgramChanged
"""

from __future__ import annotations

from redline.core.error_families.base import (
    Busy,
    Cancelled,
    GitFailed,
    GuardedWrite,
    InvalidArgument,
    LimitReached,
    MemoryLimit,
    NotWritable,
    ParserFailed,
    PermissionDenied,
    PermissionRequired,
    ProgramChanged,
    ProviderFailed,
    ReadOnlyMode,
    RedlineError,
    Refused,
    RightMissing,
    SandboxUnavailable,
    SessionClosed,
    SessionError,
    SessionNotFound,
    StoreUnavailable,
    TimeLimit,
    Unavailable,
    WorkerDied,
    WriteFailed,
)
from redline.core.error_families.edits import (
    AlreadyApplied,
    AlreadyUndone,
    AmbiguousMatch,
    CannotApply,
    Conflict,
    DocumentError,
    DocumentSyntax,
    HistoryError,
    InvalidPattern,
    LeaseLost,
    Locked,
    MatchError,
    NestsTooDeep,
    NodeNotFound,
    NoMatch,
    NothingToUndo,
    OverlappingEdits,
    PatchError,
    StaleBase,
    UnclearIndentation,
    UndoBlocked,
    UnknownOperation,
)
from redline.core.error_families.paths import (
    AbsolutePathDenied,
    AlreadyExists,
    BinaryFile,
    ContentError,
    IsADirectory,
    NotADirectory,
    NotARegularFile,
    NotFound,
    OutsideRoots,
    PathDenied,
    PathError,
    ReadOnlyRoot,
    SymlinkEscape,
    TooLarge,
    UnsupportedEncoding,
)
from redline.core.error_families.rules import (
    ChangeHeld,
    HeldDecided,
    HeldRefused,
    HeldStale,
    PolicyUnreadable,
    RuleAsks,
    RuleDenied,
    UnknownHeld,
)

__all__ = [
    "AbsolutePathDenied",
    "AlreadyApplied",
    "AlreadyExists",
    "AlreadyUndone",
    "AmbiguousMatch",
    "BinaryFile",
    "Busy",
    "Cancelled",
    "CannotApply",
    "ChangeHeld",
    "Conflict",
    "ContentError",
    "DocumentError",
    "DocumentSyntax",
    "GitFailed",
    "GuardedWrite",
    "HeldDecided",
    "HeldRefused",
    "HeldStale",
    "HistoryError",
    "InvalidArgument",
    "InvalidPattern",
    "IsADirectory",
    "LeaseLost",
    "LimitReached",
    "Locked",
    "MatchError",
    "MemoryLimit",
    "NestsTooDeep",
    "NoMatch",
    "NodeNotFound",
    "NotADirectory",
    "NotARegularFile",
    "NotFound",
    "NotWritable",
    "NothingToUndo",
    "OutsideRoots",
    "OverlappingEdits",
    "ParserFailed",
    "PatchError",
    "PathDenied",
    "PathError",
    "PermissionDenied",
    "PermissionRequired",
    "PolicyUnreadable",
    "ProgramChanged",
    "ProviderFailed",
    "ReadOnlyMode",
    "ReadOnlyRoot",
    "RedlineError",
    "Refused",
    "RightMissing",
    "RuleAsks",
    "RuleDenied",
    "SandboxUnavailable",
    "SessionClosed",
    "SessionError",
    "SessionNotFound",
    "StaleBase",
    "StoreUnavailable",
    "SymlinkEscape",
    "TimeLimit",
    "TooLarge",
    "Unavailable",
    "UnclearIndentation",
    "UndoBlocked",
    "UnknownHeld",
    "UnknownOperation",
    "UnsupportedEncoding",
    "WorkerDied",
    "WriteFailed",
]
