/// Doc of C.
public class C: D {
    var x: Int = 1
    let y = 2
    init(a: Int) {}
    func m(_ a: Int) -> Int { return a }
    deinit {}
}
struct S { static func f() {} }
enum E { case a, b(Int) }
protocol P { func q() }
extension S { func ext() {} }
func top() {}
typealias T = Int
let g = 1
actor A {}
