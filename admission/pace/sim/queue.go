package sim

// event is something that will happen to a person or to the plant.
type event struct {
	at   float64
	kind uint8
	who  int32
	n    int32
}

// queue is a heap with four children a node: shallower than a binary one, and its children share a cache line or two.
type queue []event

func (q *queue) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if h[up].at <= e.at {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() event {
	h := *q
	first := h[0]
	last := len(h) - 1
	e := h[last]
	h = h[:last]
	*q = h
	if last == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= last {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, last); c++ {
			if h[c].at < h[least].at {
				least = c
			}
		}
		if h[least].at >= e.at {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = e
	return first
}

// ring is a first-in first-out of T that reuses its memory.
type ring[T any] struct {
	items []T
	head  int
}

func (r *ring[T]) len() int { return len(r.items) - r.head }

func (r *ring[T]) push(v T) { r.items = append(r.items, v) }

func (r *ring[T]) first() *T { return &r.items[r.head] }

func (r *ring[T]) pop() T {
	v := r.items[r.head]
	r.head++
	if r.head > 1024 && r.head*2 > len(r.items) {
		r.items = r.items[:copy(r.items, r.items[r.head:])]
		r.head = 0
	}
	return v
}
