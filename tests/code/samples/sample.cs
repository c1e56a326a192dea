namespace N.M;
/// <summary>Doc</summary>
public class C : D { private int f, g; public int P { get; set; } public C(int a) {} [Attr] public async Task<int> M<T>(int x) { int Local() => 1; return 1; } public event EventHandler Ev; public static int operator +(C a, C b) => 1; }
interface I { void Q(); } struct S {} enum E { A, B } record R(int X); delegate void Del(int x);
