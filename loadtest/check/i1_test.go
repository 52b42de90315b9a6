package check

import (
	"encoding/json"
	"testing"

	"github.com/ropeline/ropeline/loadtest/history"
)

func TestI1(t *testing.T) {
	said := func(client int, path, key string, how history.Type, status int, hash string) history.Span {
		args, _ := json.Marshal(history.Call{Method: "POST", Path: path, Key: key})
		result, _ := json.Marshal(history.Answer{Status: status, Hash: hash})
		return history.Span{Begin: history.Entry{Client: client, F: "hold", Args: args}, End: history.Entry{Type: how, Result: result}}
	}
	first := said(1, "/holds", "k", history.OK, 201, "a")
	for name, c := range map[string]struct {
		second history.Span
		want   int
	}{
		"the same bytes":         {said(1, "/holds", "k", history.OK, 201, "a"), 0},
		"other bytes":            {said(1, "/holds", "k", history.OK, 201, "b"), 1},
		"another status":         {said(1, "/holds", "k", history.OK, 200, "a"), 1},
		"refused, in progress":   {said(1, "/holds", "k", history.Fail, 409, ""), 0},
		"nobody knows":           {said(1, "/holds", "k", history.Info, 503, ""), 0},
		"another key":            {said(1, "/holds", "j", history.OK, 201, "b"), 0},
		"another route":          {said(1, "/orders", "k", history.OK, 201, "b"), 0},
		"another account":        {said(2, "/holds", "k", history.OK, 201, "b"), 0},
		"without a key, a read":  {said(1, "/holds", "", history.OK, 201, "b"), 0},
		"the same key afterward": {said(1, "/holds", "k", history.OK, 201, "c"), 1},
	} {
		if found := replaysThatDiffer([]history.Span{first, c.second}); len(found) != c.want {
			t.Errorf("%s: %+v, want %d", name, found, c.want)
		}
	}
}
