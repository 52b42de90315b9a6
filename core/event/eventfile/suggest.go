package eventfile

import "fmt"

// didYouMean names the known word nearest to what was written, when it is near
// enough to be a slip: one edit for short words, a third of the length for others.
func didYouMean(got string, known []string) string {
	best, at := "", max(1, len(got)/3)+1
	for _, k := range known {
		if d := editDistance(got, k); d < at {
			best, at = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance is Levenshtein's, in one row of memory.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64 // no word of ours is that long
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
