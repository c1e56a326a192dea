package a.b
/** Doc */
class C(val x: Int) extends D { def m(a: Int): Int = a; val v = 1; var w: Int = 2; type T = Int }
object O { def f = 1; def apply(x: Int): C = new C(x) }
trait Tr { def req: Int }
case class CC(a: Int)
enum E { case A, B }
given x: Int = 1
