package line

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/ropeline/ropeline/admission/line/redistest"
)

func server(t *testing.T, args ...string) *redistest.Server {
	t.Helper()
	s, err := redistest.Start(redistest.Options{Dir: t.TempDir(), Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// port is the part of an address that a server's arguments want apart.
func port(addr string) string { return addr[strings.LastIndex(addr, ":")+1:] }

// sentinelOf watches a primary. Sentinel rewrites its configuration, so it needs a file of its own.
func sentinelOf(t *testing.T, primary *redistest.Server) *redistest.Server {
	t.Helper()
	dir := t.TempDir()
	conf := filepath.Join(dir, "sentinel.conf")
	text := fmt.Sprintf("sentinel monitor boxoffice 127.0.0.1 %s 1\nsentinel down-after-milliseconds boxoffice 500\nsentinel failover-timeout boxoffice 3000\n", port(primary.Addr()))
	if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := redistest.Start(redistest.Options{Dir: dir, Sentinel: conf})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// eventually repeats what a visitor repeats, until it works.
func eventually(t *testing.T, what string, f func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if f() {
			return
		}
	}
	t.Fatalf("%s: not within a minute", what)
}

// FR4: the primary dies while people join at two edges; the replica becomes primary. No index is given twice, and every
// ticket keeps its place.
func TestSentinelFailover(t *testing.T) {
	primary := server(t)
	replica := server(t, "--replicaof", "127.0.0.1 "+port(primary.Addr()))
	rc := redis.NewClient(&redis.Options{Addr: replica.Addr()})
	defer rc.Close()
	eventually(t, "replication", func() bool {
		return strings.Contains(rc.Info(t.Context(), "replication").Val(), "master_link_status:up")
	})
	sentinel := sentinelOf(t, primary)
	sc := redis.NewSentinelClient(&redis.Options{Addr: sentinel.Addr()})
	defer sc.Close()
	eventually(t, "the sentinel knows the replica", func() bool {
		list, err := sc.Replicas(t.Context(), "boxoffice").Result()
		return err == nil && len(list) == 1
	})
	var rooms []*Room
	for range 2 {
		s, err := Open(Options{URL: "redis+sentinel://" + sentinel.Addr() + "/0?master_name=boxoffice"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		rooms = append(rooms, started(t, s, Config{Dir: t.TempDir(), Settings: Settings{Rate: Rate{500, time.Second}, Cap: 500}}))
	}
	var mu sync.Mutex
	given := map[int64]string{}
	join := func(r *Room, id string) {
		eventually(t, "join", func() bool {
			j, err := r.Join(t.Context(), id, "")
			if err != nil {
				if !errors.Is(err, ErrStore) && !errors.Is(err, ErrRetry) {
					t.Error(err)
				}
				return false
			}
			mu.Lock()
			defer mu.Unlock()
			if who, taken := given[j.Index]; taken && who != id {
				t.Errorf("index %d was given to %s and to %s", j.Index, who, id)
			}
			given[j.Index] = id
			return true
		})
	}
	var crowd sync.WaitGroup
	for k := range 8 {
		crowd.Go(func() {
			for i := range 40 {
				join(rooms[k%2], fmt.Sprintf("k%d-%d", k, i))
				if k == 0 && i == 20 {
					if err := primary.Kill(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	crowd.Wait()
	mu.Lock()
	tickets := make([]Visitor, 0, len(given))
	for index, id := range given {
		tickets = append(tickets, Visitor{ID: id, Index: index})
	}
	mu.Unlock()
	if len(tickets) != 320 {
		t.Fatalf("%d tickets", len(tickets))
	}
	for _, r := range rooms {
		eventually(t, "the room goes on", func() bool { s := r.Snapshot(); return s.State == "open" && !s.Stale })
		if s := r.Snapshot(); len(s.Edges) != 2 || len(s.Doubled) != 0 {
			t.Fatalf("after the failover: %+v", s)
		}
	}
	for _, v := range tickets[:40] { // tickets of before and after, at the other edge
		untilIn(t, rooms[1], v)
	}
}

// A room lives in one slot of a cluster.
func TestCluster(t *testing.T) {
	node := server(t, "--cluster-enabled", "yes")
	c := redis.NewClient(&redis.Options{Addr: node.Addr()})
	defer c.Close()
	if err := c.ClusterAddSlotsRange(t.Context(), 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cluster is up", func() bool {
		return strings.Contains(c.ClusterInfo(t.Context()).Val(), "cluster_state:ok")
	})
	s, err := Open(Options{URL: "redis+cluster://" + node.Addr()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	r := started(t, s, Config{Dir: t.TempDir(), Settings: Settings{Rate: Rate{100, time.Second}, Cap: 10}})
	j, err := r.Join(t.Context(), "anna", "")
	if err != nil {
		t.Fatal(err)
	}
	untilIn(t, r, Visitor{ID: j.ID, Index: j.Index})
	if err := r.Recall(t.Context(), Expect{}); err != nil {
		t.Fatal(err)
	}
	if a := untilIn(t, r, Visitor{ID: j.ID, Index: j.Index}); a.Term != 2 {
		t.Fatalf("recalled and back in term %d", a.Term)
	}
}
