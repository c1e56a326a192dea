"""Every way to put a change into words, as data."""

from __future__ import annotations

TABLE = """
assign          SET NPLIST:target TO VAL:value
assign          put|leave|keep NPLIST:target at VAL:value
assign          SET NPLIST:target to-read|to-say QUOTED:value
assign          SET NPLIST:target from VAL:old TO VAL:value
assign          SET NPLIST:target : VAL:old ->|=>|→ VAL:value
assign=bare+1   set|change|update|switch NPLIST:target VAL:value
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
assign=bare+1   use NPLIST:target VAL:value
assign          replace NPLIST:target with|by VAL:value
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
owned           NPLIST:owner HAVE a|an|the? FIELD:target of|=|set-to|at? VAL:value
owned+1         NPLIST:owner HAVE VAL:value FIELD:target
owned           NPLIST:owner IS at? FIELD:target VAL:value
owned           MAKE NPLIST:owner have FIELD:target VAL:value
owned+1         MAKE NPLIST:owner FIELD:target VAL:value
owned           SET NPLIST:owner TO a? FIELD:target of? VAL:value
owned           SET NPLIST:owner so-that|such-that FIELD:target IS VAL:value
owned           SET NPLIST:owner to have a|an|the? FIELD:target of|=? VAL:value
owned           SET NPLIST:owner with a|an|the? FIELD:target of|=? VAL:value
owned           ENSURE that? NPLIST:owner has|have a|an|the? FIELD:target set-to|of|=? VAL:value
owned+1         SET NPLIST:owner FIELD:target TO VAL:value
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
switch=on       SET NPLIST:owner to-use|to-have|to-allow FIELD:target
stock=out       we're|we-are|they're|they-are completely|all|now? out-of|sold-out-of NPLIST:owner
stock=out       we|they ran-out-of|have-run-out-of|have-no-more NPLIST:owner
stock=out       NPLIST:owner is|are out-of-stock|sold-out|unavailable|no-longer-available
stock=in        NPLIST:owner is|are back-in-stock|available-again|back-in-stock-now
cost            MAKE NPLIST:owner cost VAL:value
cost            NPLIST:owner costs|cost|should-cost|must-cost|now-costs|will-cost VAL:value
enum            SET NPLIST:owner TO VAL:value
enum=terse+3    NPLIST:owner VAL:value
enum=terse+1    NPLIST:owner VAL:old ARROW VAL:value
enum=stated+3   STATED:value
enum            MAKE NPLIST:owner be|become|into? NOT? a|an|the? VAL:value
enum            NPLIST:owner IS now? NOT? a|an|the? VAL:value
enum            NPLIST:owner is|are? now|currently|already VAL:value
enum            MARK NPLIST:owner as|to-be|= NOT? VAL:value
enum            ENSURE NPLIST:owner IS VAL:value
enum            WANT NPLIST:owner to-be|to-become VAL:value
enum            promote|demote|move|assign|transfer|switch|change NPLIST:owner to VAL:value
switch=on       ON NPLIST:target
switch=off      OFF NPLIST:target
switch=on       turn|switch|toggle|flip|put NPLIST:target on
switch=off      turn|switch|toggle|flip NPLIST:target off
switch=flip     FLIP NPLIST:target
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
shift=up        add SAMEAS NPLIST:source to NPLIST:target
shift=down      subtract SAMEAS NPLIST:source from NPLIST:target
shift=down      DOWNV NPLIST:target by AMT:value
shift=up+1      UPV NPLIST:target AMT:value
shift=up        UPV NPLIST:target to VAL:goal
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
shift=up        NPLIST:target went-up|goes-up|rose|increased|grew|has-gone-up|should-go-up by AMT:value
shift=down      NPLIST:target went-down|goes-down|fell|dropped|shrank|has-gone-down|should-go-down by AMT:value
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
shift=one       increment NPLIST:target by AMT:value
shift=minus     decrement NPLIST:target
shift=minus     decrement NPLIST:target by AMT:value
shift=up        NPLIST:target += AMT:value
shift=down      NPLIST:target -= AMT:value
shift=one       NPLIST:target plus-plus|++
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
version=major   bump|increase|increment|raise|update the? major version of? NPLIST:target?
version=minor   bump|increase|increment|raise|update the? minor version of? NPLIST:target?
version=patch   bump|increase|increment|raise|update the? patch version of? NPLIST:target?
append          ADD VAL:value WHERE:where ONCE?
append          ADD VALS:values WHERE:where ONCE?
append+1        ADD a|an|the|some VAL:value WHERE:where
append          ADD WHERE:where ART? KIND? VAL:value ONCE?
append          ADD LIT:value ONCE?
append          ADD VAL:value as ART? KIND:kind
append          ADD VAL:value INTO NPLIST:owner as ART? KIND:kind
append          ADD ART? KIND:kind VALS:values
append          ADD ART? KIND:kind VALS:values WHERE:where
append          ADD the-following STRUCT|values|names|strings? WHERE:where : VALS:values
append          ADD ART? KIND:kind :? VAL:value ONCE?
append          ADD ART? KIND:kind named|called|of VAL:value
append          ADD ART? KIND:kind of? VAL:value WHERE:where ONCE?
append          ADD ART? VAL:value KIND:kind WHERE:where
append          ADD ART? VAL:value KIND:kind
append          ENSURE that? VAL:value is|are present|listed|contained|included? in|part-of|among|one-of NPLIST:list REPAIR?
append          ENSURE that? NPLIST:list contains|contain|includes|include|lists|has VAL:value REPAIR?
append          VERIFY that? VAL:value is|are present|listed|contained|included? in|part-of|among NPLIST:list REPAIR
append          VERIFY that? NPLIST:list contains|contain|includes|include|lists|has VAL:value REPAIR
append          NPLIST:list should|must|needs-to|has-to include|contain|have VAL:value
append          WANT VAL:value in|added-to NPLIST:list
append          ADD NPLIST:record INTO NPLIST:list
append          NPLIST:list VAL:value TOO
append          also NPLIST:list VAL:value
append=front    prepend VAL:value to NPLIST:list
newkey          ADD ART? KEYNAME:key STRUCT? GIVEN:value
newkey          ADD ART? KEYNAME:key STRUCT? GIVEN:value INTO NPLIST:holder
newkey          ADD ART? KEYNAME:key STRUCT? INTO NPLIST:holder GIVEN:value
newkey          ADD ART? KEYNAME:key : VAL:value STRUCT INTO NPLIST:holder
newkey          ADD ART? boolean|optional|custom|extra? STRUCT NAMED? KEYNAME:key GIVEN:value
newkey          ADD ART? boolean|optional|custom|extra? STRUCT NAMED? KEYNAME:key GIVEN:value INTO NPLIST:holder
newkey          ADD ART? STRUCT NAMED? KEYNAME:key INTO NPLIST:holder GIVEN:value
newkey          ADD INTO NPLIST:holder ART? STRUCT? NAMED? KEYNAME:key STRUCT? GIVEN:value
newkey=top      ADD ART? top-level STRUCT NAMED? KEYNAME:key GIVEN:value
newkey=top      ADD ART? STRUCT NAMED? KEYNAME:key at|to the? top-level|root GIVEN:value
newkey          ADD ART? KIND:kind STRUCT? NAMED? KEYNAME:key GIVEN:value
newkey          ADD ART? KIND:kind STRUCT? NAMED? KEYNAME:key GIVEN:value INTO NPLIST:holder
newkey          ADD ART? KIND:kind STRUCT? NAMED? KEYNAME:key INTO NPLIST:holder GIVEN:value
newkey          ADD ART? KEYNAME:key KIND:kind GIVEN:value
newkey          ADD ART? CODED:key STRUCT? LIT:value INTO NPLIST:holder
newkey+1        ADD a|an|the? KEYNAME:key QUOTED:value INTO NPLIST:holder
newkey=array    ADD an-empty|a-new-empty array|list NAMED? KEYNAME:key INTO|at NPLIST:holder
newkey=object   ADD an-empty|a-new-empty object NAMED? KEYNAME:key INTO|at NPLIST:holder
newkey          set|create a-new|new STRUCT? KEYNAME:key to|= VAL:value
newkey          set|create a-new|new STRUCT? KEYNAME:key to|= VAL:value INTO NPLIST:holder
newkey+3        give NPLIST:holder a|an new? KEYNAME:key STRUCT? GIVEN:value
newrecord       ADD ART? KIND:kind JSON:value
newrecord       ADD JSON:value as ART? KIND:kind
newrecord       ADD ART? KIND:kind NAMED|: VAL:name with PAIRS:pairs
newrecord       ADD ART? KIND:kind QUOTED:name with PAIRS:pairs
newrecord       ADD ART? KIND:kind with|: PAIRS:pairs
newrecord       ADD ART? KIND:kind with PAIRS:pairs INTO NPLIST:list
newrecord       ADD ART? STRUCT with PAIRS:pairs INTO NPLIST:list
newrecord       ADD INTO NPLIST:list ART? STRUCT with PAIRS:pairs
newrecord       ADD ART? KIND:kind PAIRS:pairs
newrecord       ADD ART? KIND:kind NAMED|: VAL:name
newrecord       ADD ART? KIND:kind NAMED|: VAL:name , PAIRS:pairs
remove          REMOVE NPLIST:target
remove          take NPLIST:target out of|from? NPLIST:within
remove          take NPLIST:target out
remove          take|cross|strike|knock NPLIST:target off|off-of NPLIST:within
remove          take|cross|strike|knock VAL:value off|off-of NPLIST:list
remove          VAL:value should-no-longer-be|must-no-longer-be|should-not-be|shouldn't-be|must-not-be in|part-of|on|among NPLIST:list
remove          REMOVE VAL:value from|out-of|off NPLIST:list
remove          REMOVE VALS:values from|out-of|off NPLIST:list
remove          REMOVE the? value VAL:value from NPLIST:list
remove          take VAL:value out-of|off NPLIST:list
remove=every    REMOVE all|every occurrences|occurrence|instances|instance of VAL:value from|in NPLIST:list
remove          REMOVE the|a|any? KIND:kind VAL:value from|out-of|in NPLIST:owner
remove          REMOVE the|a|any? KIND:kind VAL:value
remove          REMOVE the|a? VAL:value KIND:kind from|in NPLIST:owner
remove          ENSURE VAL:value is-not|isn't in|part-of NPLIST:list
remove          NPLIST:target should-be|must-be|needs-to-be|has-to-be removed|deleted|dropped
remove          i|we? no-longer need|want NPLIST:target
remove          i|we? don't need|want NPLIST:target anymore
absent          REMOVE the|a|any|all? UNKNOWN:name from|in|of NPLIST:within
absent          REMOVE the|a|any|all|every? UNKNOWN:name
absent          REMOVE the|a|any? KIND:kind UNKNOWN:name
absent          REMOVE the|a|any? UNKNOWN:name ONEKIND:kind
keep            keep only NPLIST:target
keep            REMOVE everything|all except|but|other-than|besides NPLIST:target
dedupe          REMOVE the|any|all? duplicates|duplicate-values|duplicate-entries|repeats from|in NPLIST:target
dedupe          dedupe|deduplicate|uniquify NPLIST:target
dedupe          make NPLIST:target unique
clear           CLEAR NPLIST:target
clear           remove everything|all from|in NPLIST:target
clear           set|make NPLIST:target to? empty|blank
rename          RENAME NPLIST:target TO KEYNAME:key
rename          RENAME NPLIST:target KEYNAME:key
rename          RENAME the? STRUCT NPLIST:target TO KEYNAME:key
rename          call the? STRUCT NPLIST:target KEYNAME:key
renamed         call NPLIST:target VAL:value
assign=named    call NPLIST:target QUOTED:value
rename          change|update the? name of? the? STRUCT NPLIST:target to KEYNAME:key
renamed         RENAME NPLIST:target TO VAL:value
renamed         RENAME NPLIST:target VAL:value
replace         REPLACE VAL:old with|by|for VAL:new
replace         REPLACE VAL:old with|by|for VAL:new in|within|inside|of|across|under NPLIST:within WHEREVER?
replace         REPLACE the? FIELD:key VAL:old with|by|for VAL:new
replace         REPLACE the? FIELD:key VAL:old with|by|for VAL:new in|within|inside|of|across|under NPLIST:within WHEREVER?
replace         CHANGE VAL:old to|into VAL:new
replace         CHANGE the? FIELD:key LIT:old to|into VAL:new
replace         CHANGE VAL:old to|into VAL:new in|within|inside|of|under NPLIST:within WHEREVER?
replace=all     REPLACE OCCURRENCES? VAL:old with|by|for VAL:new WHEREVER
replace=all     REPLACE|CHANGE OCCURRENCES VAL:old with|by|for|to|into VAL:new
replace=all     REPLACE|CHANGE OCCURRENCES VAL:old with|by|for|to|into VAL:new in|within|inside|across|under NPLIST:within
replace=all     REPLACE|CHANGE OCCURRENCES VAL:old in|within|inside|across|under NPLIST:within with|by|for|to|into VAL:new
replace=all     CHANGE OCCURRENCES VAL:old FIELD:key to|into VAL:new
replace=all     CHANGE OCCURRENCES FIELD:key VAL:old to|into VAL:new
replace=all     CHANGE all|every FIELD:key from VAL:old to VAL:new
swap            SWAP NPLIST:pair
swap            SWAP NPLIST:one with|and|for NPLIST:two
move            move|put|bring|shift NPLIST:target to|into|under|inside|in NPLIST:holder
move            transfer|reassign|relocate NPLIST:target to|into NPLIST:holder
move            move|take|pull NPLIST:target out-of|from NPLIST:origin to|into|and-into NPLIST:holder
move            move|transfer NPLIST:target from NPLIST:origin to|into NPLIST:holder
move            move|put|bring|shift|list NPLIST:target POS:pos
move            move|put|bring|shift NPLIST:target POS:pos of|in NPLIST:list
move            move|put|take|transfer NPLIST:target from|out-of NPLIST:origin POS:pos of|in NPLIST:holder
sort            SORT NPLIST:target DIRECTION?
sort            SORT NPLIST:target DIRECTION? by|on the? FIELD:key DIRECTION?
sort            SORT NPLIST:target by the? number-of|count-of FIELD:count DIRECTION?
sort            SORT NPLIST:target by FIELD:key
sort            SORT by|on the? FIELD:key DIRECTION?
reverse         reverse|flip the-order-of? NPLIST:target
reverse         reverse|flip the? order|sequence of NPLIST:target
case=upper      uppercase|capitalise|capitalize|upcase NPLIST:target
case=lower      lowercase|downcase NPLIST:target
case=upper      make|turn|convert|put NPLIST:target to|into|in|all? uppercase|upper-case|all-caps|capitals|capital-letters
case=lower      make|turn|convert|put NPLIST:target to|into|in|all? lowercase|lower-case|small-letters
case=trim       trim|strip-whitespace-from NPLIST:target
affix=after     append|add QUOTED:value to|at|onto the-end-of? NPLIST:target
affix=before    prepend|add QUOTED:value before|in-front-of|at-the-start-of|at-the-beginning-of NPLIST:target
affix=before    prepend QUOTED:value to NPLIST:target
affix=before    prefix NPLIST:target with VAL:value
affix=after     suffix NPLIST:target with VAL:value
retype=number   convert|change|turn|make|cast NPLIST:target WASTYPE? TYPED number|numbers|integer|integers|numeric|int|float
retype=string   convert|change|turn|make|cast NPLIST:target WASTYPE? TYPED string|strings|text
retype=boolean  convert|change|turn|make|cast NPLIST:target WASTYPE? TYPED boolean|booleans|bool
retype=list     wrap NPLIST:target in|into|as an|a array|list
retype=list     convert|change|turn|make NPLIST:target WASTYPE? TYPED array|list|one-element-list
retype=null     set|make|change NPLIST:target to? null|nil|none
nullify         unset|nullify NPLIST:target
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
owned           hand|pass|assign|reassign NPLIST:owner over? to FIELD:target VAL:value
append          tag|label NPLIST:owner with KIND:kind VAL:value
replace         change|map|switch|set NPLIST:within to VAL:new instead-of|rather-than VAL:old
switch=off      kill|stop|shut-down NPLIST:target
scale=0         zero|zero-out NPLIST:target
shift=down      dock NPLIST:owner AMT:value FIELD:target
shift=gain+2    WE GAINED? AMT:value more NPLIST:target
shift=gain+2    WE GAINED? another AMT:value of? NPLIST:target
shift=lose+2    WE LOST AMT:value NPLIST:target
newkey          new|a-new KIND:kind KEYNAME:key :|= VAL:value
assign=bare+2   NPLIST:target to VAL:value
assign          NPLIST:target every AMT:value
assign          NPLIST:target is|was|has-been? pushed-to|postponed-to|pushed-back-to|brought-forward-to|rescheduled-to VAL:value
assign          VAL:value takes-over-as|is-the-new|becomes-the-new|will-be-the-new|is-our-new the? NPLIST:target
assign          NPLIST:target is|are no-longer VAL:old but|,-but VAL:value
"""
# What may be left out when the verb of the clause before is meant again.
GAPS: dict[str, tuple[str, ...]] = {
    "assign": ("NPLIST:target TO VAL:value", "TO VAL:value", "NPLIST:target IS VAL:value",
               "NPLIST:target 's TO VAL:value", "of|for NPLIST:target TO VAL:value", "NPLIST:target VAL:value", "VAL:value"),
    "cost": ("NPLIST:owner VAL:value",),
    "owned": ("a|an? FIELD:target of|=|to? VAL:value",),
    "switch": ("NPLIST:target",),
    "shift": ("NPLIST:target by AMT:value", "by AMT:value", "NPLIST:target to VAL:goal"),
    "rename": ("NPLIST:target TO KEYNAME:key",),
    "remove": ("NPLIST:target",),
    "append": ("VAL:value WHERE:where",),
    "newkey": ("KEYNAME:key GIVEN:value",
               "KEYNAME:key = VAL:value INTO NPLIST:holder"),
    "replace": ("VAL:old with|by VAL:new", "VAL:old to VAL:new"),
    "enum": ("NPLIST:owner as|to VAL:value",),
}  # fmt: skip
