"""Ways to remove, rename, replace, move and order what is there, and to change its type."""

from __future__ import annotations

TABLE = """
remove          REMOVE NPLIST:target
remove          REMOVE from NPLIST:within NPLIST:target
remove          take NPLIST:target out of|from? NPLIST:within
remove          take NPLIST:target out
remove          take|cross|strike|knock NPLIST:target off|off-of NPLIST:within
remove          take|cross|strike|knock VAL:value off|off-of NPLIST:list
remove          VAL:value should-no-longer-be|must-no-longer-be|should-not-be|shouldn't-be|must-not-be in|part-of|on|among NPLIST:list
remove          REMOVE VAL:value from|out-of|off NPLIST:list
remove          REMOVE VAL:value from|out-of|off NPLIST:list IFTHERE
remove          REMOVE VALS:values from|out-of|off NPLIST:list
remove          NPLIST:list -= VAL:value
remove=stated   - VAL:value
remove=stated   VAL:value out|gone|removed
remove          yank|pull|rip NPLIST:target out-of|from NPLIST:within
remove          REMOVE the|a|any? KIND:kind VAL:value from|out-of|in NPLIST:owner IFTHERE
remove          REMOVE NPLIST:target IFTHERE
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
remove=goes     NPLIST:target can|must|has-to|needs-to|have-to|need-to go
remove=goes     no NPLIST:target any-more|anymore|any-longer
remove=goes     no-more NPLIST:target
remove          take|cross|strike|knock NPLIST:target off|off-of OURLIST
remove          there-is|there-are|there's no|no-more|no-longer-any NPLIST:target in|on|among NPLIST:within any-more|anymore|any-longer|now
remove          REMOVE the|a? MEMBERNOUN QUOTED:value from|out-of|off NPLIST:list
keep            keep only NPLIST:target
keep            REMOVE everything|all except|but|other-than|besides NPLIST:target
dedupe          REMOVE the|any|all? duplicates|duplicate-values|duplicate-entries|repeats from|in NPLIST:target
dedupe          REMOVE the|any|all? duplicates|duplicate-values|duplicate-entries|duplicate-items|duplicate-elements|repeats from|in NPLIST:target KEEPFIRST
dedupe          dedupe|deduplicate|uniquify NPLIST:target
dedupe          make NPLIST:target unique
clear           CLEAR NPLIST:target
clear           remove everything|all from|in NPLIST:target
clear           set|make NPLIST:target to? empty|blank
rename          RENAME NPLIST:target TO KEYNAME:key
rename          RENAME NPLIST:target TO NEWPATH:place
rename          RENAME NPLIST:target KEYNAME:key
rename          RENAME the? STRUCT NPLIST:target TO KEYNAME:key
rename          call the? STRUCT NPLIST:target KEYNAME:key
renamed         call NPLIST:target VAL:value
rename          change|update the? name of? the? STRUCT NPLIST:target to KEYNAME:key
renamed         RENAME NPLIST:target TO VAL:value
renamed         RENAME NPLIST:target VAL:value
replace         REPLACE VAL:old with|by|for VAL:new
replace         REPLACE VAL:old with|by|for VAL:new in|within|inside|of|across|under NPLIST:within WHEREVER?
replace         REPLACE VAL:old with|by|for VAL:new on NPLIST:within
replace=all     CHANGE all|every FIELD:key of VAL:old to|into VAL:new
replace+1       CODEWORD:old ARROW CODEWORD:new
replace         in|on|under NPLIST:within ,? SHOULDSAY VAL:new INSTEAD VAL:old
replace         SHOULDSAY VAL:new INSTEAD VAL:old
replace         SHOULDSAY VAL:new INSTEAD VAL:old in|on|under NPLIST:within
replace+1       VAL:old ARROW VAL:new in|within|inside|under NPLIST:within WHEREVER?
replace         REPLACE the? QUOTED:old in|from|within|inside|of NPLIST:within with|by|for VAL:new
replace         REPLACE the? FIELD:key VAL:old with|by|for VAL:new
replace         REPLACE the? KIND:kind name|value|entry|item|line|string|element? VAL:old with|by|for VAL:new
replace=both    REPLACE the? FIELD:key? VAL:old with|by|for VAL:new in both KINDNOUN? USING?
replace         REPLACE the? KIND:kind name|value|entry|item? VAL:old with|by|for VAL:new in|within|inside|of|across|under|from NPLIST:within WHEREVER?
replace=all     CHANGE FIELD:key from VAL:old to VAL:new WHEREVER
replace=all     CHANGE|REPLACE FIELD:key from VAL:old to VAL:new in|within|inside|across|under NPLIST:within WHEREVER
replace=all     CHANGE FIELD:key from VAL:old to VAL:new WHEREVER in|within|inside|across|under NPLIST:within
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
move            move|relocate NPLIST:target to|into NEWPATH:place
move            move|relocate|nest|put|place|extract NPLIST:target to|into|under|inside|in|at NEWTREE:place CREATING
move            move|relocate|lift|hoist NPLIST:target to|into|under NPLIST:holder as|under|named|called|under-the-name|with-the-name the|a|new? STRUCT? KEYNAME:key
move            move|relocate|lift|hoist NPLIST:target from NPLIST:origin to|into|under NPLIST:holder as|named|called KEYNAME:key
move            lift|hoist|pull|extract|promote|nest NPLIST:target up? to|into|under NPLIST:holder
move            move|relocate|nest|put|place|extract NPLIST:target to|into|under|inside|in|at NEWTREE:place
move            REMOVE|take|pull|cut NPLIST:target from|out-of NPLIST:origin and|,-and ADD|move|paste|reinsert it|them to|into|in|at|under|onto NPLIST:holder SAMENAME?
move            REMOVE|take|pull|cut NPLIST:target out-of|from NPLIST:origin and|,-and ADD|move|paste it to|into|in|at|under NPLIST:holder as|under|named|called the|a|new? STRUCT? KEYNAME:key
move            move|put|bring|shift|relocate|transfer NPLIST:target to|into|under|inside|in NPLIST:holder SAMENAME
move            move|relocate NPLIST:target from NPLIST:origin to NEWPATH:place
move            transfer|reassign|relocate NPLIST:target to|into NPLIST:holder
move            move|take|pull NPLIST:target out-of|from NPLIST:origin to|into|and-into NPLIST:holder
move            move|transfer NPLIST:target from NPLIST:origin to|into NPLIST:holder SAMENAME?
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
nullify         unset|nullify|null|null-out NPLIST:target
move            SORT|rearrange NPLIST:list so-that|such-that NPLIST:target comes|is|goes|appears|stands POS:pos
replace         change|map|switch|set NPLIST:within to VAL:new instead-of|rather-than VAL:old
"""
