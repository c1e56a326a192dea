{ pkgs }: let a = 1; f = x: x; in { b = f a; c.d = 2; }
