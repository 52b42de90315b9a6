package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

//go:embed schemas.json
var schemas json.RawMessage

type object = map[string]any

// openAPIDocument makes the document of the route table and the schemas. Being
// made of the table it names every route; that the answers are as it says is what
// the tests check, each of which goes through a validating client.
func openAPIDocument(dev bool) ([]byte, error) {
	paths := object{}
	for i := range routes {
		rt := &routes[i]
		if rt.dev && !dev {
			continue
		}
		item, _ := paths[rt.pattern].(object)
		if item == nil {
			item = object{}
			paths[rt.pattern] = item
		}
		item[strings.ToLower(rt.method)] = operation(rt)
	}
	b, err := json.Marshal(object{
		"openapi": "3.0.3",
		"info": object{"title": "Ropeline booking core", "version": "1",
			"description": "Events, holds, orders, payments and tickets. Buying calls are made through the waiting room, which adds the pass. " +
				"Errors are application/problem+json (RFC 9457) with a stable code."},
		"paths": paths,
		"components": object{
			"schemas": schemas,
			"securitySchemes": object{
				"account": object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
				"staff":   object{"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "A token with the claim role: staff"},
				"cookie":  object{"type": "apiKey", "in": "cookie", "name": accountCookie},
			},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("openapi document: %w", err)
	}
	return b, nil
}

func operation(rt *route) object {
	responses := object{"default": object{"description": "A refusal", "content": content("application/problem+json", "Problem")}}
	for _, a := range rt.answers {
		answer := object{"description": http.StatusText(a.status)}
		switch {
		case a.schema != "":
			answer["content"] = content("application/json", a.schema)
		case a.media != "":
			answer["content"] = object{a.media: object{"schema": object{"type": "string"}}}
		}
		responses[strconv.Itoa(a.status)] = answer
	}
	op := object{"operationId": rt.name, "summary": rt.summary, "responses": responses}
	if p := parameters(rt); len(p) > 0 {
		op["parameters"] = p
	}
	switch {
	case rt.body != "":
		op["requestBody"] = object{"required": true, "content": content("application/json", rt.body)}
	case rt.media != "":
		op["requestBody"] = object{"content": object{rt.media: object{"schema": object{}}}}
	}
	if rt.is(needStaff) {
		op["security"] = []object{{"staff": []string{}}}
	}
	if rt.is(needAccount) {
		op["security"] = []object{{"account": []string{}}, {"cookie": []string{}}}
	}
	return op
}

func content(media, schema string) object {
	return object{media: object{"schema": object{"$ref": "#/components/schemas/" + schema}}}
}

func parameters(rt *route) []object {
	var list []object
	for _, part := range strings.Split(rt.pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			list = append(list, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, p := range rt.query {
		schema := object{"type": "string"}
		if p.format != "" {
			schema["format"] = p.format
		}
		list = append(list, object{"name": p.name, "in": "query", "description": p.description, "example": p.example, "schema": schema})
	}
	if rt.is(needKey) {
		list = append(list, object{"name": "Idempotency-Key", "in": "header", "required": true, "schema": object{"type": "string"},
			"description": "1 to 255 printable characters, new for each thing to be done, the same for each repetition of it"})
	}
	if rt.is(needPass) {
		list = append(list, object{"name": passHeader, "in": "header", "schema": object{"type": "string"},
			"description": "Added by the waiting room for whoever is inside; without it the answer is 403 pass_required"})
	}
	return list
}

func (a *API) openAPI(w http.ResponseWriter, _ *http.Request, _ *call) error {
	writeBytes(w, http.StatusOK, "application/json", a.document)
	return nil
}
