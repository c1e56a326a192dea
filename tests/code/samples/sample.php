<?php
namespace App\X;
const K = 1;
/** Doc. */
function f(int $a): int { return $a; }
abstract class C extends D { const Z = 1; private int $p = 1; public function m($x) { return $this->p; } }
interface I { function q(); } trait T {} enum E: string { case A = 'a'; }
$v = fn($x) => $x;
define('Q', 1);
