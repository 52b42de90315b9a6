package api

import (
	"testing"

	"go.uber.org/goleak"
)

// The private PostgreSQL lives as long as the process, and so does who waits for it.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/ropeline/ropeline/core/pg/cluster.(*Cluster).launch.func1"))
}
