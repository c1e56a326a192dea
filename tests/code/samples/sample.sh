# doc
greet() { local x=1; echo "$x"; }
function bye { greet "a"; }
NAME=3
export OTHER=4
alias ll='ls'
