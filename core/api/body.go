package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"
)

// maxBody of a call. The largest honest one, a hold of 64 seats, has about 1 KiB.
const maxBody = 32 << 10

// readBody returns the whole body, within maxBody; what is beyond is never read.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	if err != nil && !errors.As(err, &tooLarge) {
		return nil, errInvalidJSON.Say("The body did not arrive whole.").Because(err)
	}
	return b, err
}

// decode reads one JSON object strictly: an unknown member is refused, since a
// misspelt "replace" must not mean "keep both holds", and nothing may follow.
func decode(r *http.Request, body []byte, into any) error {
	// A form of another site can send text/plain without asking; never JSON.
	if mt, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mt != "application/json" {
		return errMediaType
	}
	if !utf8.Valid(body) { // encoding/json makes U+FFFD of it: another name than was written
		return errInvalidBody.Say("the body: is not UTF-8.").With("field", "")
	}
	if err := checkMembers(body); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return errInvalidBody.Say("%s: is %s, want %s.", orBody(wrong.Field), clip(wrong.Value), wanted(wrong.Type.Kind().String())).With("field", wrong.Field)
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
		name := strings.Trim(strings.TrimPrefix(err.Error(), "json: unknown field "), `"`)
		return errInvalidBody.Say("%s: is no member of this call.", clip(name)).With("field", clip(name))
	case err != nil && isSyntax(err):
		return errInvalidJSON.Because(err)
	case err != nil: // a member's own UnmarshalJSON refused it
		return errInvalidBody.Say("%s.", clip(strings.TrimPrefix(err.Error(), "json: "))).Because(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errInvalidJSON.Say("Something follows the JSON object.")
	}
	return nil
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func orBody(field string) string {
	if field == "" {
		return "the body"
	}
	return field
}

func wanted(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number in range"
	case kind == "slice":
		return "a list"
	case kind == "struct", kind == "map":
		return "an object"
	}
	return fmt.Sprintf("a %s", kind)
}

// clip bounds what is repeated of a stranger's words.
func clip(s string) string {
	const most = 100
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
