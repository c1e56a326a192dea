pragma solidity ^0.8;
contract C is D { uint public x; event Ev(uint a); modifier mod() { _; } struct S { uint a; } enum E { A } error Er(); constructor() {} function f(uint a) public returns (uint) { return a; } }
interface I { function q() external; }
library L {}
