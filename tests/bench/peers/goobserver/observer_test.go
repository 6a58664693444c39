package main

import (
	"container/heap"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

func TestACeilingNeedsAQuorumAndIsTheMostOfTheWindow(t *testing.T) {
	var h home
	for i, want := range []int64{0, 7, 7, 7, 3} {
		body := fmt.Sprintf(`{"servable": %d, "observedAt": "2026-01-01T00:00:00Z"}`, []int{7, 2, 3, 1, 2}[i])
		if err := h.take([]byte(body)); err != nil {
			t.Fatal(err)
		}
		if got := h.ceiling.Load(); got != want {
			t.Errorf("after %d reports: ceiling %d, want %d", i+1, got, want)
		}
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	for _, body := range []string{"", "{", `{"servable": 1}`, `{"servable": -1, "observedAt": "2026-01-01T00:00:00Z"}`} {
		if new(home).take([]byte(body)) == nil {
			t.Errorf("%q was accepted", body)
		}
	}
}

func TestTheMostOverdueHomeComesFirst(t *testing.T) {
	begin := time.Now()
	due := byDue{{begin.Add(3), nil}, {begin.Add(1), nil}, {begin.Add(2), nil}}
	heap.Init(&due)
	for want := 1; want <= 3; want++ {
		if got := heap.Pop(&due).(entry).due; !got.Equal(begin.Add(time.Duration(want))) {
			t.Errorf("%d came %v after the beginning", want, got.Sub(begin))
		}
	}
}

func TestADeadlineDoesNotDriftAndNoneIsMadeUpFor(t *testing.T) {
	due := time.Now().Add(-2500 * time.Millisecond)
	if got := nextDue(due, time.Second).Sub(due); got != 3*time.Second {
		t.Errorf("2.5 s late: the next one is %v later", got)
	}
	due = time.Now().Add(time.Minute)
	if got := nextDue(due, time.Second).Sub(due); got != time.Second {
		t.Errorf("ahead of time: the next one is %v later", got)
	}
}

// served counts the connections and the requests that come to it.
func served(t *testing.T, connections, requests *atomic.Int64) *httptest.Server {
	answer := func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		fmt.Fprint(w, `{"servable": 2, "observedAt": "2026-01-01T00:00:00Z"}`)
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(answer))
	server.Config.ConnState = newConnections(connections)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

func TestConnectionsAreKeptOrFreshAsAsked(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		var connections, requests atomic.Int64
		server := served(t, &connections, &requests)
		o := options{fresh: fresh, timeout: 5 * time.Second}
		client, err := newClient(o)
		if err != nil {
			t.Fatal(err)
		}
		watched, err := newObserver(client, []string{server.URL + "/capacity"}, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			watched.attempt(watched.homes[0])
		}
		want := map[bool]int64{false: 1, true: 5}[fresh]
		if connections.Load() != want || requests.Load() != 5 || watched.failed.Load() != 0 {
			t.Errorf("fresh %v: %d connections for %d requests, %d failed", fresh, connections.Load(),
				requests.Load(), watched.failed.Load())
		}
	}
}

func TestAnEmptyFileOfHomesIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "homes")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readLines(path); err == nil {
		t.Error("it was accepted")
	}
}

func newConnections(count *atomic.Int64) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			count.Add(1)
		}
	}
}
