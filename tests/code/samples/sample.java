package a.b;
import java.util.List;
/** Doc. */
@Ann(x = 1)
public class C<T> extends D implements E {
  private static final int K = 1, L = 2;
  public C(int a) { this.a = a; }
  /** m doc */
  @Override public <X> List<X> m(int a, String... b) throws Ex { return null; }
  interface In { void q(); }
  enum Color { RED, GREEN { void z() {} }; int f; }
  record R(int x, String y) { R { } static int zz; }
  @interface An { int value() default 1; }
}
