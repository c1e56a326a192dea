namespace ns { namespace in = other; 
template <typename T> class Box : public Base { public: Box(); ~Box() {} int get() const { return v; } T v; static int s; void decl(int); bool operator==(const Box& o) const { return true; } };
template <typename T> T id(T x) { return x; }
}
int ns::Box<int>::out() { return 1; }
struct S { int a; S() : a(1) {} };
using Alias = int; enum class E { A, B };
#define M(x) x
int g = 1;
auto lam = [](int x) { return x; };
typedef int I;
namespace a::b { void q(); }
