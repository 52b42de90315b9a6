package caddymodule

// distance is the number of letters to change, add or drop between two short words, where two neighbours in the wrong order
// count as one: puase is nearer to pause than to pace.
func distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = last[j]
			if a[i] != b[j] {
				row[j+1] = 1 + min(last[j], last[j+1], row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], 1+before[j-1])
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
