package event

import (
	"bytes"
	"compress/gzip"
	"fmt"
)

// Document is a body that many people get: compressed once, not for each.
type Document struct {
	JSON, Gzip []byte
}

func newDocument(json []byte) (Document, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(json)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return Document{}, fmt.Errorf("compress: %w", err)
	}
	return Document{JSON: json, Gzip: b.Bytes()}, nil
}
