package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// maxLine bounds a line of the file: a path and a pass.
const maxLine = 1 << 20

// Load reads a recorder's file. Lines are in the order in which requests ended.
func Load(path string) ([]Request, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer file.Close()
	var all []Request
	lines := bufio.NewScanner(file)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for lines.Scan() {
		var r Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("record %s line %d: %w", path, len(all)+1, err)
		}
		all = append(all, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("record %s: %w", path, err)
	}
	return all, nil
}
