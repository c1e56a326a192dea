"""The closed classes: every word the grammar itself knows, whatever the document."""

from __future__ import annotations

from redline.instruct.grammar.adjuncts.courtesies import COURTESIES
from redline.instruct.grammar.attachments import PREPOSITIONS
from redline.instruct.grammar.comparisons import SPOKEN_OPERATORS
from redline.instruct.grammar.frames import FRAMES
from redline.instruct.grammar.nouns.heads import DETERMINERS
from redline.instruct.grammar.nouns.pronouns import PRONOUNS
from redline.instruct.language.words import (
    ARTICLES,
    GENERIC,
    ORDINALS,
    QUANTIFIERS,
    SCOPING,
    STRUCTURAL,
)

KNOWN_WORDS = frozenset(
    {
        *ARTICLES, *QUANTIFIERS, *SCOPING, *DETERMINERS, *PREPOSITIONS, *PRONOUNS, *ORDINALS,
        *GENERIC, *STRUCTURAL, *COURTESIES, "and", "or", "not", "its", "their", "his", "her",
        "whose", "where", "with", "that", "which", "who", "everyone", "everything", "true",
        "false", "null", "except", "if", "unless",
        *(word for phrase in SPOKEN_OPERATORS for word in phrase),
        *(word for frame in FRAMES for symbol in frame.symbols for phrases in
          symbol.words.values() for phrase in phrases for word in phrase),
    }
)  # fmt: skip
# They begin to say how long something is so, whatever frame has them.
KNOWN_WORDS -= {"until", "till"}
