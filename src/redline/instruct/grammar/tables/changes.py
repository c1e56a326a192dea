"""Ways to say that a place gets another value, and what may be left out of them."""

from __future__ import annotations

TABLE = """
assign          SET NPLIST:target TO VAL:value
assign          put|leave|keep NPLIST:target at VAL:value
assign          LIMIT NPLIST:target to|at VAL:value
assign          LIMIT NPLIST:target from VAL:old to VAL:value
assign          SET NPLIST:target to-read|to-say QUOTED:value
assign          SET NPLIST:target from VAL:old TO VAL:value
assign          SET NPLIST:target : VAL:old ->|=>|→ VAL:value
assign=bare+1   set|change|update|switch|assign|enter NPLIST:target VAL:value
assign=bare     MAKE NPLIST:target be|equal|become|read|say? VAL:value
assign          NPLIST:target IS now? VAL:value
assign          NPLIST:target IS VAL:value now|instead|from-now-on
assign          NPLIST:target IS VAL:value instead-of|rather-than|not|and-not VAL:old
assign          ENSURE that? NPLIST:target IS VAL:value REPAIR?
assign          VERIFY that? NPLIST:target IS VAL:value REPAIR
assign          WANT NPLIST:target to-be|to-equal|to-read|to-say|set-to|as|be VAL:value
assign=terse+2  NPLIST:target VAL:value
assign          NPLIST:target VAL:old ARROW VAL:value
assign          SET NPLIST:target VAL:old ARROW VAL:value
assign          NPLIST:target IS VAL:value , not VAL:old
assign          use|put|set|take|assign|make VAL:value as|for NPLIST:target
assign          reorder|rearrange NPLIST:target to|as JSON:value
assign          assign VAL:value to NPLIST:target
assigninto      write|store|put|save|enter|assign|place|record|fill LIT:value to|into|in|at|under NPLIST:target
assign          MARK|set NPLIST:target as LIT:value
setfields       SET|give|assign|enter|write|use the-following|these|the VALUED :? in|on|of|for|under|within|to|inside|at NPLIST:owner : PAIRS:pairs
setfields       SET|give NPLIST:owner the-following|these|the VALUED :? PAIRS:pairs
setfields       SET|give NPLIST:owner to-the-following|with-the-following|with-these|to-these|as-follows VALUED? :? PAIRS:pairs
setfields       SET NPLIST:owner to|with PAIRS:pairs
setfields       SET NPLIST:owner by-setting|and-set|to-have PAIRS:pairs
assign=bare+1   use NPLIST:target VAL:value
assign          SET NPLIST:target so-that|such-that it|they is|are|reads|read|says|equals|becomes|be VAL:value
assign          replace|swap VAL:old as the? NPLIST:target with|by|for VAL:value
owned           point|aim|bind|expose|serve|publish NPLIST:owner at|to|on the? FIELD:target VAL:value
assign          replace NPLIST:target with|by VAL:value
implied+2       extend|prolong NPLIST:owner SAID:said
assign          the? value of NPLIST:target IS VAL:value
assignlist      SET NPLIST:target TO VALS:value
assignlist      NPLIST:target IS VALS:value
novalue         SET NPLIST:target
respectively    SET NPLIST:target TO VALS:value respectively
copy            SET NPLIST:target to|equal-to|to-be|to-equal|as|= SAMEAS NPLIST:source
copy            SET NPLIST:target equal-to NPLIST:source
copy            make NPLIST:target the-same-as|match|equal-to|equal|identical-to|the-same NPLIST:source
copy            copy|duplicate NPLIST:source to|into|over|onto NPLIST:target
copy            NPLIST:target should-match|should-equal|should-be-the-same-as|must-match NPLIST:source
owned           give NPLIST:owner a|an|the|its? FIELD:target of|= VAL:value
owned           give NPLIST:owner a|an|the|its? FIELD:target VAL:value
owned+1         give NPLIST:owner VAL:value FIELD:target
owned+1         give NPLIST:owner VAL:value of FIELD:target
owned+1         NPLIST:owner HAVE VAL:value of FIELD:target
owned           NPLIST:owner HAVE a|an|the? FIELD:target of|=|set-to|at? VAL:value
owned+1         NPLIST:owner HAVE VAL:value FIELD:target
owned           NPLIST:owner IS at? FIELD:target VAL:value
owned           MAKE NPLIST:owner have FIELD:target VAL:value
owned+1         MAKE NPLIST:owner FIELD:target VAL:value
owned           SET NPLIST:owner TO a? FIELD:target of? VAL:value
owned           SET NPLIST:owner to FIELD:target at|on|from|by VAL:value
owned           SET NPLIST:owner so-that|such-that FIELD:target IS VAL:value
owned           SET NPLIST:owner to have a|an|the? FIELD:target of|=? VAL:value
owned           SET NPLIST:owner with a|an|the? FIELD:target of|=? VAL:value
owned           promote|demote|move|assign|transfer|switch|reassign NPLIST:owner to the? FIELD:target VAL:value
owned           assign|give the|a|an? FIELD:target VAL:value to NPLIST:owner
owned           ENSURE that? NPLIST:owner has|have|uses|use|runs|gets a|an|the? FIELD:target set-to|of|=? VAL:value
owned+1         SET NPLIST:owner FIELD:target TO VAL:value
owned+1         VERBFIELD:target NPLIST:owner to|at|as|with|for VAL:value
assign          give|grant a|an|the? NPLIST:target of VAL:value
owned           SET|scale NPLIST:owner to AMT:value FIELD:target
owned           NPLIST:owner IS AMT:value FIELD:target
owned+1         NPLIST:owner IS at? VAL:value FIELD:target
owned           NPLIST:owner should|must|will|shall FIELD:target at|on|in|by VAL:value
owned+1         FIELD:target NPLIST:owner to|at VAL:value
owned+2         AMT:value FIELD:target in|for|at|on NPLIST:owner
assign=terse+1  NPLIST:target on|at VAL:value
assign          listen|run|serve|bind|start on|at NPLIST:target VAL:value
age             NPLIST:owner is|are AMT:value now|years-old|today
age             NPLIST:owner turned|turns|just-turned|is-now AMT:value years-old|years?
shape           point|aim|direct|send NPLIST:owner at|to VAL:value
shape+1         use VAL:value for|in|on NPLIST:owner
switch=on       SET NPLIST:owner to-use|to-have|to-allow FIELD:target
stock=out       we're|we-are|they're|they-are completely|all|now? out-of|sold-out-of NPLIST:owner
stock=out       we|they ran-out-of|have-run-out-of|have-no-more NPLIST:owner
stock=out       NPLIST:owner is|are out-of-stock|sold-out|unavailable|no-longer-available
stock=in        NPLIST:owner is|are back-in-stock|available-again|back-in-stock-now
cost            MAKE NPLIST:owner cost VAL:value
cost            NPLIST:owner costs|cost|should-cost|must-cost|now-costs|will-cost VAL:value
enum            SET NPLIST:owner TO VAL:value
enum=terse+3    NPLIST:owner VAL:value
enum=terse+2    NPLIST:owner to VAL:value
enum=terse+1    NPLIST:owner VAL:old ARROW VAL:value
enum=stated+3   STATED:value
enum            MAKE NPLIST:owner be|become|into? NOT? a|an|the? VAL:value
enum            NPLIST:owner IS now? NOT? a|an|the? VAL:value
enum            NPLIST:owner is|are? now|currently|already VAL:value
enum            MARK NPLIST:owner as|to-be|= NOT? VAL:value
enum            ENSURE NPLIST:owner IS VAL:value
enum            WANT NPLIST:owner to-be|to-become VAL:value
enum            promote|demote|move|assign|transfer|switch|change NPLIST:owner to VAL:value
switchfields=on ON NPLIST:target with|: PAIRS:pairs
switchfields=off OFF NPLIST:target with|: PAIRS:pairs
setfields       ANYVERB NPLIST:owner ( PAIRS:pairs )
transfer        transfer|move|shift|reallocate AMT:value from NPLIST:origin to NPLIST:goal
transfer        transfer|move|shift|reallocate AMT:value of? FIELD:target from NPLIST:origin to NPLIST:goal
implied=spread+2 SET|postpone NPLIST:owner to SAID:said
switch=on       ON NPLIST:target
switch=off      OFF NPLIST:target
switch=on       turn|switch|toggle|flip|put NPLIST:target on
switch=off      turn|switch|toggle|flip NPLIST:target off
switch=flip     FLIP NPLIST:target
switch=on       grant|give|allow|permit FIELD:target to|for NPLIST:owner
switch=off      revoke|deny|withdraw|refuse FIELD:target from|for|to NPLIST:owner
switch=on       bring|take NPLIST:target up|online|back-up|back-online
switch=on       bring|take up|online NPLIST:target
switch=off      bring|take NPLIST:target down|offline
switch=on+1     allow|permit NPLIST:target
switch=off      forbid|prohibit|disallow|ban NPLIST:target
switch=on+1     NPLIST:target on
switch=off+1    NPLIST:target off
switch=on       NPLIST:target should-be|must-be|needs-to-be|is|are|has-to-be enabled|on|active|activated|turned-on|switched-on
switch=off      NPLIST:target should-be|must-be|needs-to-be|is|are|has-to-be disabled|off|inactive|deactivated|turned-off|switched-off
switch=on       ENSURE NPLIST:target is|are enabled|on|active|turned-on
switch=off      ENSURE NPLIST:target is|are disabled|off|inactive|turned-off
switch=on       MARK NPLIST:target as enabled|active|on
switch=off      MARK NPLIST:target as disabled|inactive|off
switch=on       start using|to-use? NPLIST:target
switch=off      stop using|to-use? NPLIST:target
shift=up        UPV NPLIST:target by AMT:value
shift=up        UPV NPLIST:target by SAMEAS? NPLIST:source
shift=down      DOWNV NPLIST:target by SAMEAS? NPLIST:source
shift=up        add that-amount|the-same-amount|as-much|the-difference to NPLIST:target
shift=down      subtract|deduct|take that-amount|the-same-amount|as-much from|off NPLIST:target
shift=up        UPV NPLIST:target by that-amount|the-same-amount|as-much|the-same
shift=down      DOWNV NPLIST:target by that-amount|the-same-amount|as-much|the-same
assign=again    SET NPLIST:target to|as the-same|the-same-value|the-same-day|the-same-date|the-same-time|the-same-number|the-same-amount|that-value|that-too
shift=up        add SAMEAS NPLIST:source to NPLIST:target
shift=down      subtract SAMEAS NPLIST:source from NPLIST:target
shift=down      DOWNV NPLIST:target by AMT:value
shift=up+1      UPV NPLIST:target AMT:value
shift=up        UPV NPLIST:target to VAL:goal
shift=up        UPV NPLIST:target from VAL:old to VAL:goal
shift=down      DOWNV NPLIST:target from VAL:old to VAL:goal
shift=down      DOWNV NPLIST:target to VAL:goal
shift=up        turn|push|crank|bring|dial NPLIST:target up to VAL:goal
shift=down      turn|push|crank|bring|dial NPLIST:target down to VAL:goal
shift=up        turn|push|crank|bring|dial up NPLIST:target to VAL:goal
shift=down      turn|push|crank|bring|dial down NPLIST:target to VAL:goal
shift=up        turn|push|crank|bring|dial|move NPLIST:target up by AMT:value
shift=down      turn|push|crank|bring|dial|move|mark NPLIST:target down by AMT:value
shift=up        add AMT:value more? to NPLIST:target
shift=up        NPLIST:owner HAVE AMT:value more|extra|additional FIELD:target
shift=down      NPLIST:owner HAVE AMT:value fewer|less FIELD:target
shift=down      subtract|deduct|take|knock|remove|shave|cut AMT:value from|off|off-of NPLIST:target
shift=down      take|knock NPLIST:target down by AMT:value
shift=up        NPLIST:target IS raised|increased|bumped|boosted by AMT:value
shift=down      NPLIST:target IS lowered|reduced|decreased|cut by AMT:value
shift=up        give NPLIST:target a|an? AMT:value raise|increase|boost|bump
shift=down      give NPLIST:target a|an? AMT:value cut|decrease|reduction
shift=up        give NPLIST:owner a|an? FIELD:target increase|raise|rise|bump|boost of AMT:value
shift=up        give NPLIST:owner a|an? AMT:value FIELD:target increase|raise|rise|bump|boost
shift=down      give NPLIST:owner a|an? FIELD:target cut|decrease|reduction|discount of AMT:value
shift=down      give NPLIST:owner a|an? AMT:value FIELD:target cut|decrease|reduction|discount
shift=up        NPLIST:target went-up|goes-up|go-up|going-up|rose|rise|increased|grew|has-gone-up|have-gone-up|should-go-up|will-go-up by AMT:value FORALL?
shift=down      NPLIST:target went-down|goes-down|go-down|fell|fall|dropped|shrank|has-gone-down|have-gone-down|should-go-down|will-go-down by AMT:value FORALL?
shift=up        add AMT:value more? FIELD:target to|for NPLIST:owner
shift=down      cut|take|drop|remove|subtract AMT:value FIELD:target from|off NPLIST:owner
shift=up        stay|give|book|add AMT:value more FIELD:target in|for|to|at NPLIST:owner
shift=up+1      AMT:value more|extra FIELD:target in|for|to|at NPLIST:owner
shift=down+1    AMT:value fewer|less FIELD:target in|for|to|at NPLIST:owner
money=salary    give NPLIST:owner a|an? AMT:value raise|pay-rise|pay-raise|salary-increase
money=discount  knock|take AMT:value off|off-of NPLIST:owner
money=discount  discount NPLIST:owner by AMT:value
money=discount  apply|give|offer a|an? AMT:value discount to|on|for NPLIST:owner
money=discount  give NPLIST:owner a|an? AMT:value discount
shift=one       increment|bump NPLIST:target
shift=later     postpone|delay|push-back|defer|push|move-back|put-back NPLIST:target by AMT:value
shift=later     move|push|shift NPLIST:target back|out|later by AMT:value
shift=sooner    advance|bring-forward|move-forward|move-up|pull-forward NPLIST:target by AMT:value
shift=sooner    bring|move|pull|shift NPLIST:target forward|earlier by AMT:value
shift=one       increment NPLIST:target by AMT:value
shift=minus     decrement NPLIST:target
shift=minus     decrement NPLIST:target by AMT:value
shift=up        NPLIST:target += AMT:value
shift=down      NPLIST:target -= AMT:value
scale=times     NPLIST:target *= AMT:value
scale=over      NPLIST:target /= AMT:value
shift=up        NPLIST:target up by? AMT:value
shift=down      NPLIST:target down by? AMT:value
shift=one       NPLIST:target plus-plus|++
shift=minus     NPLIST:target --
scale=times     NPLIST:target FACTOR:value
scale=times     FACTOR:value NPLIST:target
shift=up        NPLIST:target goes|go|went|is-going|are-going|comes|should-go|will-go up to VAL:goal
shift=down      NPLIST:target goes|go|went|is-going|are-going|comes|should-go|will-go down to VAL:goal
shift=later     NPLIST:target is|are|starts|begins|ends|opens|closes|leaves now? AMT:value later now?
shift=sooner    NPLIST:target is|are|starts|begins|ends|opens|closes|leaves now? AMT:value earlier now?
shift=up        NPLIST:target ROSE to VAL:goal
shift=down      NPLIST:target FELL to VAL:goal
shift=spend     WE spent|used AMT:value of|from|out-of NPLIST:target
shift=up        NPLIST:target up to VAL:goal
shift=down      NPLIST:target down to VAL:goal
shift=signed+1  NPLIST:owner SIGNED:value FIELD:target
shift=signed+1  NPLIST:target SIGNED:value each|across-the-board|for-all?
shift=signed+1  SIGNED:value to|on|for? NPLIST:target
shift=signed+1  SIGNED:value FIELD:target in|for|to|at|on NPLIST:owner
scale=2         double NPLIST:target
scale=3         triple NPLIST:target
scale=4         quadruple NPLIST:target
scale=half      halve NPLIST:target
scale=half      cut|reduce|slash|split NPLIST:target in|by half
scale=times     multiply|scale NPLIST:target by AMT:value
scale=over      divide NPLIST:target by AMT:value
version=major   bump|increase|increment|raise|update the? major version of|in? NPLIST:target?
version=minor   bump|increase|increment|raise|update the? minor version of|in? NPLIST:target?
version=patch   bump|increase|increment|raise|update the? patch version of|in? NPLIST:target?
assign=named    call NPLIST:target QUOTED:value
assign=named    NPLIST:target CALLED QUOTED:value
assign=named+1  NPLIST:target CALLED BARENAME:value
assign=bare     scale|go|ramp|size down|up|back|out|in? to AMT:value NPLIST:target
shift=up        give NPLIST:owner AMT:value more|extra|additional FIELD:target
shift=down      give NPLIST:owner AMT:value fewer|less FIELD:target
renamed         NPLIST:target CALLED QUOTED:value
assign          NPLIST:target is|are|will-be|has-been|was|is-now postponed|moved|pushed|brought-forward|rescheduled|changed|set to VAL:value
owned           NPLIST:owner is|are of FIELD:target VAL:value
owned+1         NPLIST:owner is|are only|just? of VAL:value FIELD:target
owned           NPLIST:owner is|are on FIELD:target VAL:value
verbed          VERBED:state NPLIST:target
verbed          we|i|they|we've|i've|we-have|i-have VERBED:state NPLIST:target
enum+1          NPLIST:owner 's NOT? VAL:value anymore|now|again?
enum            NPLIST:owner is|are NOT? VAL:value anymore|again
verbed          MARK NPLIST:target as NOT? VERBED:state
implied+4       NPLIST:owner SAID:said
implied+4       NPLIST:owner : SAID:said
implied=stated+5  SAID:said
implied=root+6  SAID:said
implied=root+2  mark|flag as SAID:said
implied=root+6  they|we get|gets|have|pay|need SAID:said
owned           hand|pass|assign|reassign NPLIST:owner over? to FIELD:target VAL:value
switch=off      kill|stop|shut-down NPLIST:target
scale=0         zero|zero-out NPLIST:target
shift=down      dock NPLIST:owner AMT:value FIELD:target
shift=gain+2    WE GAINED? AMT:value more NPLIST:target
shift=gain+2    WE GAINED? another AMT:value of? NPLIST:target
shift=lose+2    WE LOST AMT:value NPLIST:target
assign=bare+2   NPLIST:target to VAL:value
assign          NPLIST:target every AMT:value
assign          NPLIST:target is|was|has-been? pushed-to|postponed-to|pushed-back-to|brought-forward-to|rescheduled-to VAL:value
assign=taken    VAL:value takes-over-as|is-now-the|is-now-our|becomes-the|becomes-our|is-the-new|becomes-the-new|will-be-the-new|is-our-new the? NPLIST:target
assign          NPLIST:target is|are no-longer VAL:old but|,-but VAL:value
"""
# What may be left out when the verb of the clause before is meant again.
GAPS: dict[str, tuple[str, ...]] = {
    "assign": ("NPLIST:target TO VAL:value", "TO VAL:value", "NPLIST:target IS VAL:value",
               "NPLIST:target 's TO VAL:value", "of|for|in|under|on NPLIST:target TO VAL:value", "NPLIST:target VAL:value", "VAL:value"),
    "assigninto": ("LIT:value to|into|in|at|under NPLIST:target",),
    "cost": ("NPLIST:owner VAL:value",),
    "owned": ("a|an? FIELD:target of|=|to|at? VAL:value",),
    "switch": ("NPLIST:target",),
    "shift": ("SIGNED:value FIELD:target", "NPLIST:target by AMT:value", "by AMT:value", "NPLIST:target to VAL:goal",
              "NPLIST:target from VAL:old to VAL:goal",
              "of|for|in|under|on NPLIST:target to VAL:goal", "of|for|in|under|on NPLIST:target by AMT:value"),
    "rename": ("NPLIST:target TO KEYNAME:key",),
    "remove": ("NPLIST:target",),
    "append": ("VAL:value WHERE:where",),
    "newkey": ("KEYNAME:key GIVEN:value",
               "KEYNAME:key = VAL:value INTO NPLIST:holder"),
    "replace": ("VAL:old with|by VAL:new", "VAL:old to VAL:new"),
    "setfields": ("PAIRS:pairs",),
    "enum": ("NPLIST:owner as|to VAL:value",),
}  # fmt: skip
