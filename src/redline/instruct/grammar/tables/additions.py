"""Ways to ask for something new: elements, members, records, copies."""

from __future__ import annotations

TABLE = """
copykey         copy|duplicate NPLIST:source to|into|as|under NEWPATH:place
copykey         copy|duplicate NPLIST:source to|into|as ART? STRUCT? NAMED? KEYNAME:key INTO NPLIST:holder
copykey         copy|duplicate NPLIST:source INTO NPLIST:holder as|under ART? STRUCT? NAMED? KEYNAME:key
copykey=beside  copy|duplicate|clone NPLIST:source to|into|as a-new|new|another|a STRUCT NAMED? KEYNAME:key
copykey=beside  copy|duplicate|clone NPLIST:source as|under|under-the-name|under-the-key|under-the-new-name|under-the-new-key|under-a-new-key|to-a-new-key CODED:key
copykey=beside  make|create|store|save|keep|add a-copy|a-duplicate of NPLIST:source under-the-name|under-the-key|under-the-new-key|called|named|as|under CODED:key
copykey         make|create|store|save|keep|put|add a-copy|a-duplicate of NPLIST:source under|as|at|in|to|into NEWPATH:place
copykey         make|create|store|save|keep|put|add a-copy|a-duplicate of NPLIST:source INTO NPLIST:holder as|under|named|called ART? STRUCT? NAMED? KEYNAME:key
copykey=top     copy|duplicate|clone NPLIST:source to|into|as ART top-level STRUCT? NAMED? KEYNAME:key
copykey=top     copy|duplicate|clone NPLIST:source to|into|at ROOT as|under ART? STRUCT? NAMED? KEYNAME:key
copykey         ADD ART? KIND:kind? KEYNAME:key INTO NPLIST:holder COPYOF NPLIST:source
copykey         ADD ART? KIND:kind? KEYNAME:key INTO NPLIST:holder COPYOF NPLIST:source BUT|WITHF PAIRS:pairs
copykey=top     ADD ART? top-level STRUCT? NAMED? KEYNAME:key COPYOF NPLIST:source
copykey=top     ADD ART? top-level STRUCT? NAMED? KEYNAME:key COPYOF NPLIST:source BUT|WITHF PAIRS:pairs
copykey         ADD ART? KIND:kind NAMED? KEYNAME:key COPYOF NPLIST:source
copykey         ADD ART? KIND:kind NAMED? KEYNAME:key COPYOF NPLIST:source BUT|WITHF PAIRS:pairs
copykey         ADD ART? STRUCT? NEWPATH:place SAMEVAL NPLIST:source
copykey         ADD ART? KEYNAME:key STRUCT? SAMEVAL NPLIST:source
copykey         ADD ART? KEYNAME:key STRUCT? SAMEVAL NPLIST:source INTO NPLIST:holder
copykey         ADD ART? KEYNAME:key STRUCT? INTO NPLIST:holder SAMEVAL NPLIST:source
copykey         ADD ART? STRUCT NAMED? KEYNAME:key SAMEVAL NPLIST:source
copykey         ADD ART? STRUCT NAMED? KEYNAME:key INTO NPLIST:holder SAMEVAL NPLIST:source
copykey         ADD ART? STRUCT NAMED? KEYNAME:key SAMEVAL NPLIST:source INTO NPLIST:holder
merge           merge JSON:value into|with|in|to NPLIST:target
merge           merge NPLIST:target with JSON:value
append          ADD VAL:value WHERE:where ONCE?
append          ADD VALS:values WHERE:where ONCE?
append+1        ADD a|an|the|some VAL:value WHERE:where
append          ADD WHERE:where ART? KIND? VAL:value ONCE?
append          ADD WHERE:where :|the-following-:|the-following-object-:|the-following-entry-:|this-object-:|this-entry-: JSON:value
append          ADD both VALS:values WHERE:where
append          VAL:value should-be|must-be|needs-to-be|has-to-be|is|shall-be|is-to-be also? added|appended|included|inserted to|in|into NPLIST:list
append          KIND:kind VAL:value should-be|must-be|needs-to-be|has-to-be|is|shall-be added|appended|included|inserted to|in|into NPLIST:owner
append          ADD LIT:value ONCE?
append+1        ADD ONEWORD:value
append=front+1  prepend ONEWORD:value
append=front    prepend LIT:value
append          ADD VAL:value as ART? KIND:kind
append          ADD VAL:value INTO NPLIST:owner as ART? KIND:kind
append+1        grant|give|allow|permit the|a|an? QUOTED:value MEMBERNOUN? to|for NPLIST:list
append          give NPLIST:owner ART? KIND:kind LIT:value
append          give NPLIST:owner ART? KIND:kind VALS:values
append          ADD ART? KIND:kind VALS:values
append          ADD ART? KIND:kind : VALS:values
append          ADD ART? KIND:kind VALS:values WHERE:where
append          ADD the-following STRUCT|values|names|strings? WHERE:where : VALS:values
append          ADD ART? KIND:kind :? VAL:value ONCE?
append          ADD ART? KIND:kind named|called|of VAL:value
append          ADD ART? KIND:kind of? VAL:value WHERE:where ONCE?
append          ADD ART? VAL:value KIND:kind WHERE:where
append          ADD ART? VAL:value KIND:kind
append          ENSURE that? VAL:value is|are present|listed|contained|included? in|part-of|among|one-of NPLIST:list REPAIR?
append          ENSURE that? NPLIST:list contains|contain|includes|include|lists|has VAL:value REPAIR?
append          ENSURE that? NPLIST:owner has|have a|an|the? KIND:kind VAL:value
append          VERIFY that? VAL:value is|are present|listed|contained|included? in|part-of|among NPLIST:list REPAIR
append          VERIFY that? NPLIST:list contains|contain|includes|include|lists|has VAL:value REPAIR
append          NPLIST:list should|must|needs-to|has-to include|contain|have VAL:value
append          WANT VAL:value in|added-to NPLIST:list
append          ADD NPLIST:record INTO NPLIST:list
append          NPLIST:list VAL:value TOO
append          NPLIST:list += VAL:value
append          + VAL:value
append          VAL:value in|added
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
newkey          ADD ART? STRUCT? NAMED? KEYNAME:key next-to|beside|alongside NPLIST:sibling GIVEN:value
newkey          ADD ART? STRUCT? NAMED? KEYNAME:key GIVEN:value next-to|beside|alongside NPLIST:sibling
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
newkey          ADD ART? STRUCT? NEWPATH:place GIVEN:value
newkey          ADD ART? KEYNAME:key object|section|block|array|list JSON:value INTO NPLIST:holder
newkey          ADD ART? KEYNAME:key object|section|block|array|list INTO NPLIST:holder :|with? JSON:value
newkey          ADD ART? STRUCT INTO NPLIST:holder with|: the? key KEYNAME:key and|, the? CONTENTS VAL:value
newkey          ADD ART? STRUCT with|: the? key KEYNAME:key and|, the? CONTENTS VAL:value INTO NPLIST:holder
newkey          ADD ART? KIND:kind with|: the? key KEYNAME:key and|, the? CONTENTS VAL:value
newkey          ADD ART? KIND:kind MEMBERNOUN? with|: the? key KEYNAME:key and|, the? CONTENTS VAL:value INTO NPLIST:holder
newkey          ADD ART? MEMBERNOUN MEMBERNOUN? with|: the? key KEYNAME:key and|, the? CONTENTS VAL:value INTO NPLIST:holder
newkey+1        ADD ART? MEMBERNOUN MEMBERNOUN? NAMED? CODED:key GIVEN:value INTO NPLIST:holder
newkey+1        ADD ART? MEMBERNOUN MEMBERNOUN? NAMED? CODED:key INTO NPLIST:holder GIVEN:value
newkey+1        ADD ART? KIND:kind MEMBERNOUN NAMED? CODED:key INTO NPLIST:holder GIVEN:value
newkey+1        ADD ART? KIND:kind MEMBERNOUN NAMED? CODED:key GIVEN:value INTO NPLIST:holder
newkey=version+1 ADD a|an|the? KEYNAME:key at|with|version? VERSION:value INTO NPLIST:holder
newkey=version+1 ADD a|an|the? KEYNAME:key at|with|version? VERSION:value as ART? KIND:kind
newkey          ADD LIT:value under|as|with|at the-key|key|the-name|the-field|the-new-key KEYNAME:key INTO NPLIST:holder
newkey          ADD ART NOUN LIT:value under|as|with the-key|key|the-name|the-field|the-new-key KEYNAME:key INTO NPLIST:holder
newkeys         ADD ART? STRUCT? PAIRS:pairs INTO NPLIST:holder
newkeys         ADD INTO NPLIST:holder :|the-following|the? STRUCT? PAIRS:pairs
newkeys+1       ADD ART? STRUCT? PAIRS:pairs
newkey          ADD VAL:value at|as NEWPATH:place
newkey=end      ADD VAL:value to NEWPATH:place
newkey          ADD ART? STRUCT? NEWPATH:place WITHF PAIRS:pairs
newkey          ADD ART? CODED:key STRUCT? WITHF PAIRS:pairs
newkey          ADD ART? CODED:key STRUCT? WITHF PAIRS:pairs INTO NPLIST:holder
newkey          ADD ART? CODED:key STRUCT? INTO NPLIST:holder WITHF PAIRS:pairs
newkey          ADD INTO NPLIST:holder ART? CODED:key STRUCT? WITHF PAIRS:pairs
newkey          ADD ART? STRUCT NAMED? KEYNAME:key WITHF PAIRS:pairs
newkey=top      ADD ART? top-level STRUCT NAMED? KEYNAME:key WITHF PAIRS:pairs
newkey          ADD ART? STRUCT NAMED? KEYNAME:key WITHF PAIRS:pairs INTO NPLIST:holder
newkey          ADD ART? STRUCT NAMED? KEYNAME:key INTO NPLIST:holder WITHF PAIRS:pairs
newkey          ADD ART? STRUCT NAMED? KEYNAME:key INTO|at ROOT WITHF PAIRS:pairs
newkey          ADD ART? KIND:kind NAMED? KEYNAME:key WITHF PAIRS:pairs
newkey          ADD ART? KEYNAME:key KIND:kind WITHF PAIRS:pairs
newkey          ADD ART? KIND:kind NAMED? KEYNAME:key INTO NPLIST:holder WITHF PAIRS:pairs
newkey          ADD a|an|the? top-level array|list NAMED? KEYNAME:key containing|with|of|= VALS:values
newkey          ADD a|an|the|new? array|list NAMED? KEYNAME:key containing|with|of|= VALS:values
newkey          ADD a|an|the|new? array|list NAMED? KEYNAME:key containing|with|of|= VALS:values INTO NPLIST:holder
newkey          ADD a|an|the|new? array|list NAMED? KEYNAME:key INTO NPLIST:holder containing|with|of|= VALS:values
newkey          set|create a-new|new STRUCT? KEYNAME:key to|= VAL:value
newkey          set|create a-new|new STRUCT? KEYNAME:key to|= VAL:value INTO NPLIST:holder
newkey          extend|supplement|augment|enrich NPLIST:holder with|by ART? STRUCT? NAMED? KEYNAME:key GIVEN:value
newkeys         extend|supplement|augment|enrich NPLIST:holder with|by ART? STRUCT? PAIRS:pairs
merge           extend|supplement|augment|enrich NPLIST:target with|by JSON:value
newkey+3        give NPLIST:holder a|an new? KEYNAME:key STRUCT? GIVEN:value
newkey          give NPLIST:holder ART STRUCT NAMED? KEYNAME:key GIVEN:value
newkey          give NPLIST:holder ART CODED:key STRUCT? GIVEN:value
newkey          ADD ART? KIND:kind STRUCT? NAMED? KEYNAME:key INTO NPLIST:holder DEFINED:value
newkey          ADD ART? KIND:kind STRUCT? NAMED? KEYNAME:key DEFINED:value
newkey          ADD ART? STRUCT? NAMED? KEYNAME:key INTO NPLIST:holder DEFINED:value
newkey          ADD ART? KIND:kind CODED:key INTO NPLIST:holder WITHF PAIRS:pairs
newkey          ADD ART? KIND:kind CODED:key WITHF PAIRS:pairs INTO NPLIST:holder
newkey          ADD ART? KIND:kind CODED:key STRUCT? GIVEN:value INTO NPLIST:holder
newrecord       ADD ART? KIND:kind :|with? JSON:value
newrecord       ADD ART? KIND:kind WITHF PAIRS:pairs PUTIT:where
newrecord       ADD ART? KIND:kind NAMED|:? VAL:name WITHF PAIRS:pairs PUTIT:where
newrecord       ADD ART? KIND:kind from|with|using these-fields|the-following-fields|these-values|the-following-values PUTIT:where :? PAIRS:pairs
newrecord       ADD ART? KIND:kind JSON:value WHERE:where
newrecord       ADD ART? KIND:kind JSON:value PUTIT:where
newrecord       ADD ART? KIND:kind KEYNAME:name WHERE:where WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind ( PAIRS:pairs )
newrecord       ADD ART? KIND:kind NAMED|:? VAL:name ( PAIRS:pairs )
newrecord       ADD ART? KIND:kind NAMED|:? VAL:name ( PAIRS:pairs ) WHERE:where
newrecord       ADD ART? KIND:kind NAMED? CODED:name PAIRS:pairs
newrecord       ADD ART? KIND:kind NAMED? CODED:name PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind WHERE:where ( PAIRS:pairs )
append+1        ADD ART KIND:kind at|of AMT:value WHERE:where
append+1        ADD ART NOUN at|of AMT:value WHERE:where
append          ADD ART NOUN QUOTED:value WHERE:where
copykey         ADD ART? KIND:kind? KEYNAME:key COPYOF NPLIST:source
newrecord       ADD ART? KIND:kind PAIRS:pairs PUTIT:where
newrecord       ADD ART? KIND:kind INTO NPLIST:within WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind INTO NPLIST:within :|with? JSON:value
newrecord       ADD JSON:value as ART? KIND:kind
newrecord       ADD ART? STRUCT WHERE:where :|with? JSON:value
newrecord       ADD ART? NOUN WHERE:where :|with? JSON:value
newrecord       ADD ART? NOUN JSON:value WHERE:where
newrecord       ADD ART? KIND:kind WHERE:where :|with? JSON:value
newrecord       ADD ART? KIND:kind NAMED|: VAL:name WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind NAMED|: VAL:name WITHF PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind NAMED VAL:name WHERE:where WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind NAMED|: VAL:name of PAIRS:pairs
newrecord       ADD ART? KIND:kind NAMED|: VAL:name of PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind CODED:name WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind NUM:name WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind NUM:name WITHF PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind CODED:name WITHF PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind CODED:name WHERE:where WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind WITHF PAIRS:pairs
newrecord       ADD ART? KIND:kind WITHF PAIRS:pairs WHERE:where
newrecord       ADD ART? KIND:kind WHERE:where WITHF PAIRS:pairs
newrecord       ADD ART? STRUCT WITHF PAIRS:pairs WHERE:where
newrecord       ADD ART? STRUCT WHERE:where WITHF PAIRS:pairs
newrecord       ADD ART? NOUN WITHF PAIRS:pairs WHERE:where
newrecord       ADD ART? NOUN WHERE:where WITHF PAIRS:pairs
newrecord+1     ADD ART FIELD:noun WHERE:where WITHF PAIRS:pairs
newrecord       ADD WHERE:where ART? STRUCT WITHF PAIRS:pairs
newrecord       ADD WHERE:where ART? KIND:kind WITHF PAIRS:pairs
newrecord       ADD WHERE:where : PAIRS:pairs
newrecord       ADD ART? KIND:kind PAIRS:pairs
newrecord       ADD ART? KIND:kind NAMED|: VAL:name
newrecord       ADD ART? KIND:kind NAMED|: VAL:name , PAIRS:pairs
append          ADD ART? KIND:kind SAYING :? VAL:value
append          ADD ART? KIND:kind SAYING :? VAL:value WHERE:where
append          ADD ART? KIND:kind INTO NPLIST:owner SAYING :? VAL:value
append          NPLIST:owner HAVE|also-needs a|an|another|one-more QUOTED:value KIND:kind
append          NPLIST:owner HAVE|also-needs a|an|another|one-more KIND:kind NAMED? QUOTED:value
append          NPLIST:owner HAVE|also-needs a|an|another QUOTED:value KIND:kind WHERE:where
append          WANT ART KIND:kind called|named|SAYING VAL:value
newrecord       new|a-new|another KIND:kind :? JSON:value
append          ADD ONEMORE called|named|SAYING VAL:value
append          ADD ONEMORE called|named|SAYING VAL:value WHERE:where
append          tag|label NPLIST:owner with KIND:kind VAL:value
newkey          new|a-new KIND:kind KEYNAME:key :|= VAL:value
"""
