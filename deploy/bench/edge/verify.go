package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ropeline/ropeline/admission/lottery"
)

// drawn is the size of the draw: just above a power of two, where cycle walking costs most.
const drawn = 1<<20 + 1

// verify times the command that a participant would run, on files.
func (b *bench) verify(ctx context.Context, dir string) error {
	record, list, err := draw(dir, drawn)
	if err != nil {
		return err
	}
	for range b.runs {
		began := time.Now()
		out, err := exec.CommandContext(ctx, b.bin, "verify-draw", record, "--list", list).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		b.Value("edge.verify_1e6_s", time.Since(began).Seconds())
	}
	b.Print("edge.verify_1e6_s")
	return nil
}

// draw makes the published record and list of a draw.
func draw(dir string, n int) (record, list string, err error) {
	record, list = filepath.Join(dir, "draw.json"), filepath.Join(dir, "list.txt")
	leaves := make([][32]byte, n)
	f, err := os.Create(list)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for i := range leaves {
		leaves[i] = sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(i)))
		if _, err := w.WriteString(hex.EncodeToString(leaves[i][:]) + "\n"); err != nil {
			return "", "", err
		}
	}
	if err := w.Flush(); err != nil {
		return "", "", err
	}
	secret, root := [32]byte{1}, lottery.Root(leaves)
	seed, commit := lottery.Seed(secret, "", root, int64(n)), lottery.Commit(secret)
	text, err := json.Marshal(lottery.Record{Room: "main", Epoch: 1, Commit: hex.EncodeToString(commit[:]), EntropySource: "none", N: int64(n),
		Root: hex.EncodeToString(root[:]), Secret: hex.EncodeToString(secret[:]), Seed: hex.EncodeToString(seed[:])})
	if err != nil {
		return "", "", err
	}
	return record, list, os.WriteFile(record, text, 0o644)
}
