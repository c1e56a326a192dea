"""Classes of words that the patterns of the frames name."""

from __future__ import annotations

_ARTICLES = [
    *"a an the the-following another one-more two three two-new three-new these the-following-two "
    "new my our some some-new both".split(),
    *(
        f"{article}-{adjective}"
        for article in ("a", "an", "the", "another", "one")
        for adjective in (
            "new additional extra further nested optional custom boolean second third fourth "
            "fifth first last separate "
            "corresponding matching new-boolean new-optional new-nested"
        ).split()
    ),
]

_MODALS = (
    "should-be ought-to-be must-be needs-to-be has-to-be have-to-be need-to-be will-be shall-be is "
    "is-now are are-now is-to-be should-now-be has-been was would-be"
).split()

CLASSES: dict[str, str] = {
    "SET": "set change update modify edit switch adjust alter correct fix put bring turn assign "
    "revise amend reset reschedule push bump upgrade downgrade extend restore shift move "
    "configure convert overwrite scale ramp dial roll crank pin setting changing updating switching moving adjusting correcting editing modifying bumping shifting",
    "UPV": "increasing raising increase raise bump boost grow up extend lengthen add-to crank-up",
    "DOWNV": "decreasing lowering reducing decrease reduce lower cut drop shrink shorten trim slash knock-down bring-down",
    "LIMIT": "limit cap restrict clamp constrain throttle peg tune tighten relax loosen widen narrow stretch ease slow tweak hold revert return roll-back limiting capping restricting",
    "MAKE": "make let have get render turn",
    "TO": "to = -> => → ==> --> := as : into to-be be to-equal to-become back-to over-to up-to down-to",
    "IS": "= -> => → ==> --> := is are equals becomes become is-now are-now is-actually should-be must-be "
    "ought-to-be shall-be needs-to-be has-to-be have-to-be should-equal should-read ought-to-read "
    "ought-to-equal should-become must-equal must-read needs-to-equal needs-to-read will-be "
    "should-now-be now-is is-going-to-be has-become should-say : should-be-set-to must-be-set-to "
    "should-be-changed-to needs-to-be-set-to has-changed-to changed-to went-to is-supposed-to-be "
    "should-have-been was-supposed-to-be now-equals has-to-become needs-to-become should-go-to "
    "should-be-updated-to was-changed-to got-changed-to moved-to has-moved-to switched-to "
    "is-set-to are-set-to has-been have-been would-be gets must-become should-really-be should-just-be are-to-be is-to-be should-always-be "
    "should-be-written should-be-spelled should-be-spelt should-be-typed must-be-written must-be-spelled "
    "is-spelled is-spelt is-written is-actually-spelled is-correctly-spelled is-really-spelled",
    "HAVE": "should-have must-have needs-to-have ought-to-have should-get gets get now-has has "
    "uses should-use must-use should-now-use needs-to-use needs must-get shall-have have should-now-have will-have has-to-have now-have needs",
    "ENSURE": "ensure make-sure see-to-it ensure-that make-sure-that see-to-it-that "
    "make-certain-that make-certain check-that be-sure-that guarantee-that confirm-that",
    "WANT": "i-want we-want i-need we-need i-would-like we-would-like i'd-like we'd-like "
    "i-want-to-have i-would-prefer id-like",
    "ADD": "appending inserting adding add append insert push include put attach register create introduce give-it "
    "define place list allow permit whitelist store enroll enrol tack hire",
    "FORALL": "for-everyone for-everybody for-all across-the-board everywhere",
    "REMOVE": "leave-out cross-out cross-off strike-out take-off removing deleting dropping remove delete drop erase eliminate discard strip get-rid-of take-out unset prune "
    "purge throw-out throw-away scrap ditch kill axe cut clear-out do-away-with lose omit "
    "take-away deregister nuke nix rm yank toss chuck bin trash zap",
    "CLEAR": "clear empty wipe blank reset-to-empty blank-out empty-out wipe-out clear-out",
    "RENAME": "renaming rename relabel retitle mv",
    "ON": "turning-on switching-on activating enabling enable activate reactivate reenable re-enable turn-on switch-on toggle-on",
    "OFF": "turning-off switching-off deactivating disabling disable deactivate turn-off switch-off shut-off toggle-off",
    "FLIP": "toggle flip invert",
    "MARK": "marking flagging mark flag tag set label make show",
    "SWAP": "swap exchange switch interchange trade",
    "SORT": "sort order reorder arrange rank",
    "REPLACE": "replacing replace substitute swap-out swap",
    "CHANGE": "change update turn convert switch alter upgrade downgrade bump",
    "ART": " ".join(_ARTICLES),
    "NAMED": "named called titled with-key with-the-key with-name with-the-name under-the-name "
    "under-the-key under-key",
    "WITHF": "with : having containing consisting-of - using from where made-of made-up-of composed-of "
    "comprising as-follows with-: using-: ,-with made-of-: from-:",
    "SAMEVAL": "with-the-same-value-as with-the-value-of equal-to with-a-value-equal-to = "
    "that-equals set-to-the-value-of holding-the-value-of copied-from with-the-value-from "
    "with-the-current-value-of set-to-the-same-value-as with-a-copy-of ,-equal-to "
    ",-with-the-same-value-as ,-set-to-the-value-of with-the-value-in taking-the-value-of "
    ",-copied-from set-to-the-current-value-of that-holds-the-value-of that-has-the-value-of",
    "CONTENTS": "value text content message translation string url path version command label "
    "description address definition pattern",
    "BUT": "with but-with except-for ,-but-with ,-with ,-but-set and-with ,-except-with but-set "
    ",-only-with but-change ,-changing changing",
    "COPYOF": "as-a-copy-of as-copy-of as-a-duplicate-of copied-from based-on as-a-clone-of by-copying "
    "which-is-a-copy-of that-is-a-copy-of ,-which-is-a-copy-of as-an-exact-copy-of "
    ",-copied-from identical-to ,-a-copy-of like",
    "CALLED": " ".join(
        f"{modal}-{word}"
        for modal in _MODALS
        for word in ("called", "named", "titled", "renamed", "renamed-to", "labelled", "labeled")
    ) + " is-called is-named should-be-called should-be-named will-be-called is-now-called "
    "is-now-named must-be-called goes-by are-called are-now-called has-been-renamed has-been-renamed-to "
    "was-renamed-to was-renamed is-titled should-be-titled is-renamed-to",
    "ROOT": "the-root the-top-level root top-level the-document-root the-root-object",
    "VERIFY": "verify validate",
    "SAMEAS": "the-same-as the-same-value-as match the-value-of the-current-value-of equal-to "
    "whatever-is-in the-value-in the-amount-of the-amount-in",
    "OCCURRENCES": "all every any each every-occurrence-of all-occurrences-of each-occurrence-of "
    "any-occurrence-of every-instance-of all-instances-of each-instance-of",
    "WHEREVER": "everywhere throughout wherever-it-occurs wherever-it-appears where-it-occurs "
    "where-it-appears where-it-is-used wherever-it-is-used",
    "WASTYPE": "from-a-number from-number from-a-string from-string from-an-integer from-a-boolean "
    "from-a-single-value from-a-float from-text from-a-scalar",
    "INTO": "to into onto in on under within inside for at of beneath below",
    "TYPED": "to-a to-an into-a into-an a an to into to-be-a to-be-an",
    "USING": "that-use-it which-use-it using-it that-have-it that-contain-it where-it-is-used",
    "ARROW": "-> => → ==> -->",
    "SAYING": "saying reading stating that-says that-reads which-says which-reads that-says-: "
    "with-the-text with-the-words with-the-content that-is which-is",
    "SETTING": "policy setting value level rule limit mode",
    "HAS": "has have does do uses gets",
    "MOVES": "moves moved has-moved is-moving was-moved has-been-moved will-move is-moved changes "
    "changed has-changed was-changed has-been-changed switches switched has-switched goes went "
    "was-switched is-switching transfers was-transferred got-moved is-being-moved",
    "INSTEAD": "instead-of rather-than in-place-of ,-not and-not not ,-instead-of ,-rather-than",
    "SHOULDSAY": "it-should-say it-should-read it-must-say it-must-read it-ought-to-say "
    "it-needs-to-say it-has-to-say",
    "NOTANYMORE": "isn't is-not is-no-longer aren't are-not are-no-longer",
    "PUTOFF": "postponed-to postponed-until postponed-till put-off-until put-off-till put-off-to "
    "delayed-until delayed-to delayed-till pushed-back-to pushed-to moved-to rescheduled-to "
    "rescheduled-for brought-forward-to put-back-to moved-forward-to moved-back-to",
    "ROSE": "has-grown have-grown grew rose has-risen have-risen increased has-increased climbed "
    "has-climbed has-gone-up have-gone-up has-been-raised was-raised is-raised",
    "FELL": "has-shrunk have-shrunk shrank fell has-fallen have-fallen dropped has-dropped "
    "decreased has-decreased sank has-sunk has-gone-down have-gone-down has-been-lowered "
    "was-lowered has-been-cut was-cut is-lowered",
    "LEFT": "has-left have-left has-dropped-out dropped-out has-quit isn't-coming aren't-coming "
    "is-not-coming can't-come cannot-come won't-come won't-be-coming isn't-joining "
    "is-no-longer-coming",
    "STAYING": "we're-staying we-are-staying we-stay we'll-stay we-will-stay we-want-to-stay "
    "they're-staying they-are-staying i'm-staying i-am-staying stay we'd-like-to-stay",
    "ONEMORE": "one another another-one a-new-one one-more a-second-one a-third-one",
    "TOO": "too as-well also",
    "WE": "we i they we've i've they've we-have i-have they-have there-are we-just i-just",
    "GAINED": "found bought opened planted got received added ordered hired made have had",
    "LOST": "lost sold used broke spent",
}  # fmt: skip
