function f(a) { return a; }
function* g() {}
class C { #priv = 1; static s() {} m() {} get v() { return 1 } 'quoted'() {} [comp]() {} }
const arrow = (x) => x;
var o = { key: function () {}, meth() {}, arr: () => 1, plain: 3 };
exports.foo = function () {};
module.exports.bar = () => 1;
C.prototype.baz = function () {};
let { d } = o;
