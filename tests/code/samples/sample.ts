import { a as b } from "./x";
/** Doc of f. */
export function f(a: number): string { return `x ${a}`; }
export default class C extends D implements E {
  private p: number = 1;
  static s = 2;
  constructor(private q: string) { super(); }
  get v() { return 1; }
  async m<T>(x: T): Promise<T> { return x; }
  h = () => 1;
}
abstract class G { abstract k(): void; }
interface I { a: string; m(): void; new (x: number): I }
type T1 = { a: string } | I;
enum Color { Red, Green = 2 }
namespace N { export const z = 1; }
declare module "foo" { function q(): void; }
export const arrow = async (x: number) => x;
const fe = function named() {}, k2 = 3;
let { d1, d2 } = obj;
declare function ext(a: string): void;
function over(a: string): void;
