/// Doc of S.
#[derive(Debug)]
pub struct S<T> { pub a: i32, b: T }
struct U(i32);
enum E { A, B(i32), C { x: i32 } }
trait Tr { fn req(&self); fn def(&self) {} const K: i32; type Out; }
impl<T> S<T> { pub fn new(a: i32) -> Self { S { a } } const Z: i32 = 1; }
impl<T> Tr for S<T> { fn req(&self) {} }
mod m { pub(crate) fn inner() {} }
const C1: i32 = 1;
static ST: &str = "x";
type Alias = S<i32>;
macro_rules! mac { ($x:expr) => { $x }; }
union Un { a: i32 }
