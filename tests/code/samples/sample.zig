const std = @import("std");
pub fn add(a: i32) i32 { return a; }
const S = struct { x: i32, fn m(self: S) void {} };
var g: i32 = 1;
test "x" {}
