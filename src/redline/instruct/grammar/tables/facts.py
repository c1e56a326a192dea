"""Ways to state a fact that implies a change: who leads, who joined, what was sold."""

from __future__ import annotations

TABLE = """
assign=bare+1   WANT|i'd-prefer|i-prefer|we'd-prefer|we-prefer|i-would-prefer a|an|the? VAL:value NPLIST:target
owned+1         NPLIST:owner was|has-been|got|is moved|switched|changed|set|upgraded|transferred to the? FIELD:target VAL:value
owned+1         NPLIST:owner is-going-to-be|will-be|is|takes-place|will-take-place|happens held? in|at|on the? FIELD:target VAL:value
replace+1       we'd|we-would|i'd|i-would rather|prefer have|to-have|use|take? VAL:new than|to|over|instead-of VAL:old
replace+1       use|switch-to|prefer|take CODEWORD:new instead-of|rather-than|in-place-of VAL:old
replace+1       CODEWORD:new instead-of|rather-than|in-place-of VAL:old
replace+1       we|i now? use|take|have|want|need VAL:new instead-of|rather-than|not VAL:old
agent=teach+1   VAL:value is-teaching|will-teach|teaches|now-teaches|is-going-to-teach|will-be-teaching NPLIST:owner
agent=lead+1    VAL:value is-taking-over|takes-over|will-take-over|took-over|has-taken-over|leads|will-lead|is-leading|now-leads|runs|will-run|is-in-charge-of|is-now-in-charge-of|is-responsible-for|is-now-responsible-for|manages|will-manage|heads NPLIST:owner
agent=organize+1 VAL:value will-organize|will-organise|is-organizing|is-organising|organizes|organises|will-host|hosts|is-hosting|will-coordinate NPLIST:owner
agent=speak+1   VAL:value will-speak-at|speaks-at|will-present|presents|is-presenting NPLIST:owner
agent=drive+1   VAL:value will-drive|drives|is-driving|now-drives NPLIST:owner
agent=teach+1   NPLIST:owner is|are|will-be now? coached|trained by VAL:value
agent=organize+1 VAL:value is|will-be the-host|the-organizer|the-organiser of NPLIST:owner
agent=drive+1   VAL:value took-over|takes-over|takes|took|drives|will-drive NPLIST:owner
agent=lead+1    VAL:value is|will-be|becomes the|our? new? captain|coach|trainer|leader|manager of NPLIST:owner
owned+1         NPLIST:owner has|have chosen|picked|elected|appointed|named|hired VAL:value as their|its|the|his|her|our FIELD:target
owned+1         VAL:value is|becomes|will-be now? the|our new? FIELD:target of|at|for|on NPLIST:owner
tally=enrol-up+1  AMT:value more|additional|new? people|students|participants|members|guests|persons|attendees|others? have-booked|booked|registered-for NPLIST:owner
agent=teach+1   NPLIST:owner is|are|will-be now? taught|given by VAL:value
agent=lead+1    NPLIST:owner is|are|will-be now? led|run|managed|headed by VAL:value
agent=organize+1 NPLIST:owner is|are|will-be now? organized|organised|hosted by VAL:value
agent=drive+1   NPLIST:owner is|are|will-be now? driven by VAL:value
agent=promote+1 NPLIST:owner has-been|was|is|got|is-being promoted|demoted to VAL:value
agent=promote+1 NPLIST:owner became|becomes|is-becoming|has-become a|an|the|our? VAL:value
agent=live+1    NPLIST:owner has-relocated-to|relocated-to|has-moved-to|moved-to|moves-to|is-moving-to|lives-in|now-lives-in|is-based-in|is-now-based-in|is-now-in VAL:value
agent=report+1  NPLIST:owner reports-to|now-reports-to|will-report-to|should-report-to VAL:value
agent=belong+1  NPLIST:owner belongs-to|belong-to|now-belongs-to|now-belong-to|should-belong-to|is-owned-by|is-now-owned-by|are-owned-by|joined|has-joined|moved-to|has-moved-to|switched-to|transferred-to the|our? VAL:value
idiom=home+1    NPLIST:owner works|work|is-working|will-work|will-be-working|is now|always? from-home|remotely
idiom=office+1  NPLIST:owner works|work|is-working|will-work|is|comes now|back|is-back? in|into|to the-office
idiom=unmade+1  NPLIST:owner is|are no-longer made|produced|manufactured|sold-by-us|being-made|offered
idiom=unmade+1  we|they no-longer make|produce|manufacture|sell|offer|carry NPLIST:owner
idiom=unmade+1  we|they don't|do-not make|produce|manufacture|sell|offer|carry NPLIST:owner anymore|any-more|any-longer
idiom=made+1    we|they make|produce|sell|offer NPLIST:owner again
idiom=live+1    NPLIST:owner can|may|should|will|is-going-to|has? go-live|gone-live|going-live
idiom=live+1    NPLIST:owner is|are live now?
idiom=up+1      NPLIST:owner is|are back up|online|in-service|on-line|running
idiom=down+1    NPLIST:owner is|are down|offline|out-of-service|out-of-order
idiom=paid+1    NPLIST:owner has|have paid-up|paid-in-full|settled-up|paid-off|settled-its-bill|settled-the-bill|settled-their-bill|paid-its-bill|paid-their-bill
join=invite+1   invite VAL:value to NPLIST:owner
join=invite+1   VAL:value is-coming-to|will-attend|is-attending|will-join|is-joining|joins|will-come-to|should-be-invited-to|wants-to-join|would-like-to-join NPLIST:owner
tally=enrol-up+1  AMT:value more|additional|new? people|students|participants|members|guests|persons|attendees|others? joined|have-joined|enrolled-in|have-enrolled-in|signed-up-for|have-signed-up-for|registered-for|are-coming-to NPLIST:owner
tally=enrol-down+1 AMT:value people|students|participants|members|guests|persons|attendees? left|have-left|dropped-out-of|dropped|cancelled NPLIST:owner
tally=count-down+1 AMT:value of? NPLIST:owner were|was|got|have-been|has-been sold|used|broken|lost|taken|stolen|thrown-away|damaged
tally=count-down+1 WE|we've|we-have sold|used|lost|broken|broke AMT:value of? NPLIST:owner today|yesterday|this-week?
tally=count-up+1 AMT:value more? of? NPLIST:owner arrived|came-in|have-arrived|were-delivered|have-come-in|were-added|was-delivered
tally=count-up+1 WE received|got|bought|have-received|ordered AMT:value more? of? NPLIST:owner
instead+3       TELLING:telling NEWNAME:new instead-of|rather-than|,-not|and-not|,-no-longer|not|in-place-of VAL:old
instead+4       TELLING:telling NEWNAME:new now|from-now-on instead-of|rather-than|,-not|and-not|,-no-longer VAL:old
remove          NPLIST:target is|are no-longer a|an|one-of-the|in|on|part-of|among KIND:kind
remove          NPLIST:target has|have left KIND:kind
shift=gain+1    we|i need|want|should-have AMT:value more|extra|additional NPLIST:target
shift=lose+1    we|i need|want|should-have AMT:value fewer|less NPLIST:target
implied+3       WANT it to-be SAID:said in|at|for|on NPLIST:owner
owned+1         i'd|i-would|i|we|we'd give NPLIST:owner AMT:value FIELD:target
samefield       give NPLIST:owner the-same FIELD:target SETTING? as NPLIST:source HAS?
samefield       NPLIST:owner HAVE the-same FIELD:target SETTING? as NPLIST:source HAS?
samefield       SET|use? the-same|same FIELD:target SETTING? for|on|in NPLIST:owner as for|on|in|with? NPLIST:source HAS?
samefield       SET NPLIST:owner to the-same FIELD:target SETTING? as NPLIST:source HAS?
samefield       SET|make FIELD:target of|for|in|on NPLIST:owner to? the-same-as for|in|on|with|that-of NPLIST:source
fromto          SET|promote|demote|transfer NPLIST:owner from VAL:old to VAL:value
fromto          NPLIST:owner MOVES from VAL:old to VAL:value
fromto          use|take|put-in AMT:value of? NPLIST:owner INSTEAD AMT:old
enum            NPLIST:owner is|are|was|were|has-been|have-been|will-be|got|gets PUTOFF VAL:value
assign          NPLIST:target NOTANYMORE a|an|the? VAL:old any-more|anymore|any-longer? ,|,-but|but it's|it-is|they're|they-are|it's-now|it-is-now a|an|the? VAL:value
assign          VAL:old isn't|is-not|is-no-longer the|our NPLIST:target any-more|anymore|any-longer? ,|,-but|but|and VAL:value is|is-now
assign=named    call NPLIST:target VAL:value INSTEAD VAL:old
assign=named+1  call NPLIST:target BARENAME:value
shift=up        NPLIST:target is|are|gets|get|becomes|become|will-be now? AMT:value more-expensive|dearer|pricier now?
shift=down      NPLIST:target is|are|gets|get|becomes|become|will-be now? AMT:value cheaper|less-expensive now?
assign          for NPLIST:target we'd|i'd|we-would|i-would|let's rather|like-to? say|write|use|have QUOTED:value
enum            ENSURE that? NPLIST:owner ISNT:NOT a|an|the? VAL:value any-more|anymore|any-longer?
enum            NPLIST:owner ISNT:NOT a|an|the? VAL:value any-more|anymore|any-longer?
implied=root+5  ENSURE that? SAID:said
shift=later     NPLIST:target is|are|was|were|has-been|have-been|will-be|got postponed|put-off|put-back|delayed|pushed-back|deferred by AMT:value
shift=sooner    NPLIST:target is|are|was|were|has-been|have-been|will-be|got brought-forward|moved-forward|moved-up by AMT:value
money=discount  AMT:value off NPLIST:owner
fromto          i'd-like-to-have|we'd-like-to-have|WANT AMT:value of? NPLIST:owner INSTEAD AMT:old
assign          NPLIST:target is|are|was|were|has-been|have-been|will-be|got|gets PUTOFF VAL:value
assign=terse+2  FAMILYWORD:value NPLIST:target
remove=leaves   NPLIST:target LEFT
append=joined   BARENAME:value has-joined|have-joined|joined|joins|is-joining|is-now-in the|our? NPLIST:list
tally=count-up+1 WE bought|got|received|found|ordered another|one-more NPLIST:owner
tally=count-down+1 one|one-of-the|one-of-our NPLIST:owner broke|is-broken|got-lost|is-lost|was-stolen|was-sold|got-broken
tag=tag         tag NPLIST:owner with|as QUOTED:value
tag=tag         tag NPLIST:owner QUOTED:value
tag=label       label NPLIST:owner with|as QUOTED:value
assign=bare     WANT|i'd-prefer|we'd-prefer|i-prefer|we-prefer|use|take a|an|the? VAL:value NPLIST:target INSTEAD the? VAL:old one?
agent=teach+1   NPLIST:owner is|are|will-be now? coached|trained|taught|given by VAL:value INSTEAD VAL:old
agent=lead+1    NPLIST:owner is|are|will-be now? led|run|managed|headed by VAL:value INSTEAD VAL:old
agent=organize+1 NPLIST:owner is|are|will-be now? organized|organised|hosted by VAL:value INSTEAD VAL:old
agent=drive+1   NPLIST:owner is|are|will-be now? driven by VAL:value INSTEAD VAL:old
shift=down+1    AMT:value FIELD:target of NPLIST:owner were|was|got|have-been|has-been sold|used|used-up|broken|lost|taken|stolen|thrown-away|damaged|eaten
shift=down+1    WE sold|used|used-up|lost|broke|gave-away AMT:value FIELD:target of NPLIST:owner today|yesterday|this-week?
shift=up+1      AMT:value more|new|extra? FIELD:target of NPLIST:owner arrived|came-in|have-arrived|were-delivered|have-come-in|were-added
shift=up+1      STAYING AMT:value FIELD:target longer|more in|at NPLIST:owner
shift=up+1      STAYING AMT:value more|extra FIELD:target in|at NPLIST:owner
shift=down+1    STAYING AMT:value FIELD:target less|shorter in|at NPLIST:owner
tally=count-down+1 WE used-up|ate|drank|gave-away|threw-away AMT:value of? NPLIST:owner
switch=on       FIELD:target is|are included|available|offered|provided|allowed at|in|for|with|on NPLIST:owner
switch=off      FIELD:target is|are not|no-longer included|available|offered|provided|allowed at|in|for|with|on NPLIST:owner
switch=off      FIELD:target isn't|aren't included|available|offered|provided|allowed at|in|for|with|on NPLIST:owner
switch=off      i|we don't|do-not want|need|like NPLIST:target any-more|anymore|any-longer
switch=off      i|we no-longer want|need|like NPLIST:target
switch=off      stop sending|showing|playing|collecting|offering|accepting|taking|posting|publishing|logging|recording|printing|displaying|allowing NPLIST:target
assign=terse    on NPLIST:target we're|we-are|it's|it-is VAL:value
assign=terse    we're|we-are VAL:value on NPLIST:target
assign=terse    we're|we-are VAL:value on NPLIST:target now|too|from-now-on
assign          put|enter|write|list VAL:value down? as the? NPLIST:target
assign          point|aim|direct NPLIST:target at|to VAL:value
"""
