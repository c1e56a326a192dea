"""Words around clauses: courtesies, separators, reasons, announcements."""

from __future__ import annotations

from redline.instruct.grammar.frames import phrase_table

BEFORE = phrase_table(
    tuple(text.split())
    for text in (
        "i.e.|that is ,|in other words ,|please|kindly|just|also|then|now|could you|can you|"
        "would you|will you|could you please|"
        "can you please|would you please|i want you to|i'd like you to|i would like you to|"
        "i need you to|we need to|you should|need to|let's|let us|go ahead and|next|finally|hey|hi|"
        "hello|ok|okay|so|i want to|i'd like to|i would like to|we should|we want to|you need to|"
        "help me|we'd like to|simply|i need to|i'd like|can we|could we|should we|lets|pls|plz|"
        "we have to|you have to|quickly|actually|oh|well|and|apply this change :|in addition|"
        "additionally|furthermore|we'd like you to|go and|it would be great if you could|do|"
        "record that|please record that|please note that|note that|remember that|"
        "please remember that|just so you know|fyi|from now on|from now on ,|"
        "from today|from today on|starting today|as of today|as of now|"
        "first|firstly|first ,|second|secondly|third|thirdly|fourth|lastly|last|after that|"
        "afterwards|"
        "and then|and finally|then finally|subsequently|following that|in a second step|"
        "in the same step|at the same time|moreover|similarly|likewise|in this document|"
        "in the document|in the json|in this file|in the given document|"
        "by the way|sadly|unfortunately|honestly|frankly|to be honest|heads up|sorry|"
        "sorry but|luckily|in fact|it turned out that|"
        "it turns out that|i heard that|i think|we decided that|we have decided that|"
        "good news|great news|as discussed|as agreed|it turns out"
    ).split("|")
)
AFTER = phrase_table(
    tuple(text.split())
    for text in (
        "please|thanks|thank you|thx|for me|too|as well|instead|ok|okay|thanks a lot|will you|"
        "thank you very much|cheers|would you|if you please|pls|plz|now|right now|asap|"
        "if you can|many thanks|when you can|if possible|from now on|going forward|altogether|"
        "entirely|completely|right away|immediately|nothing else|rest unchanged|sorry|"
        "the rest unchanged|the rest stays|rest stays|everything else unchanged|leave the rest|"
        "leave the rest alone|everything else stays|that's all|that is all|"
        "tonight|today|this time|for now|for tonight|at the moment|after all|for the moment|"
        "any longer|sadly|unfortunately|no other changes|any more|anymore|these days|nowadays|"
        "in that order|in this order|in the given order|in the order given|"
        "by the way|in the meantime|meanwhile|at last|as of late|for once|as it happens"
    ).split("|")
)
# What may follow a clause unless it ends in bare words, of which it could be a part.
AFTER_VALUES = phrase_table(
    tuple(text.split())
    for text in (
        "again|from today|from today on|as of today|as of now|starting today|in future|"
        "in the future|for good|permanently"
    ).split("|")
)
COURTESIES = frozenset(
    word for table in (BEFORE, AFTER) for group in table.values() for words in group
    for word in words
)  # fmt: skip
SEPARATORS = frozenset(
    ", and then also . ; ! ? \n & plus — – - / | finally next afterwards".split(" ")
)
ENDS = frozenset(". ; ! ? \n".split(" "))
REASONS = phrase_table((
    ("because",), ("since",), ("so", "that"), ("in", "order", "to"), ("due", "to"),
    ("given", "that"), ("now", "that"), ("otherwise",), ("to", "avoid"), ("to", "make"),
    ("as", "per"), ("so", "we"), ("so", "it"), ("so", "they"), ("as", "we"), ("as", "it"),
))  # fmt: skip
