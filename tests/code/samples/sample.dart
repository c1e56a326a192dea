/// Doc
class C extends D { int x = 1; C(this.x); C.named(); int m(int a) => a; int get v => 1; static void s() {} }
void top() {}
enum E { a, b }
mixin M {}
extension X on String { int q() => 1; }
typedef T = int;
const k = 1;
