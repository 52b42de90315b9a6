package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// The example has every member and no other, so that whoever draws it can be built against the file.
func TestExample(t *testing.T) {
	raw, err := os.ReadFile("testdata/document.json")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var doc Document
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var want, got any
	_ = json.Unmarshal(raw, &want)
	_ = json.Unmarshal(again, &got)
	if !reflect.DeepEqual(want, got) {
		t.Errorf("the example and the types differ:\n%s\n%s", raw, again)
	}
}
