package a.b

/** Doc of C. */
data class C(val x: Int) : D() {
    fun m(a: Int): Int = a
    val v = 1
    companion object {
        fun make() = C(1)
    }
}
object O {
    const val K = 1
}
interface I {
    fun q()
}
enum class E { A, B }
fun top(x: Int) { }
typealias T = Int
val g by lazy { 1 }
