package api

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
)

func init() {
	for _, media := range []string{"text/html", "image/svg+xml", seatFrame, "text/event-stream"} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.PlainBodyDecoder)
	}
}

// validator holds answers against the served document and notes what it has seen.
type validator struct {
	router routers.Router
	mu     sync.Mutex
	seen   map[string]map[int]bool // operationId -> statuses
}

func newValidator(t *testing.T, document []byte) *validator {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err == nil {
		err = doc.Validate(context.Background())
	}
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	router, err := legacy.NewRouter(doc)
	if err != nil {
		t.Fatal(err)
	}
	return &validator{router: router, seen: map[string]map[int]bool{}}
}

// answer fails the test if an answer of a documented operation is not as documented.
func (v *validator) answer(t *testing.T, req *http.Request, resp *http.Response, body []byte) {
	t.Helper()
	route, params, err := v.router.FindRoute(req)
	if err != nil {
		return // not an operation: a page, or an address that is none
	}
	v.mu.Lock()
	if v.seen[route.Operation.OperationID] == nil {
		v.seen[route.Operation.OperationID] = map[int]bool{}
	}
	v.seen[route.Operation.OperationID][resp.StatusCode] = true
	v.mu.Unlock()
	if resp.Uncompressed || resp.Header.Get("Content-Encoding") != "" {
		return
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		t.Errorf("%s %s answered %d, which is not as documented: %v\n%.1000s", req.Method, req.URL.Path, resp.StatusCode, err, body)
	}
}
