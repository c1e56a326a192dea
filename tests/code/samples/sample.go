package main

// Add adds.
func Add(a int, b int) int { return a + b }

func (s *Shop[T]) Open(x string) error { return nil }

type Shop[T any] struct {
	Name string
	a, b int
	Embedded
}
type (
	Reader interface { Read(p []byte) (int, error) }
	ID = string
	Num int
)
const Pi = 3.14
const (
	A = iota
	B
)
var v, w = 1, 2
