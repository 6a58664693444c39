package main

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// lateness keeps every value of what is measured.
type lateness struct {
	lock   sync.Mutex
	values []time.Duration
}

func (l *lateness) add(value time.Duration) {
	l.lock.Lock()
	l.values = append(l.values, value)
	l.lock.Unlock()
}

func (l *lateness) clear() {
	l.lock.Lock()
	l.values = l.values[:0]
	l.lock.Unlock()
}

// milliseconds are the percentiles; nil where nothing has a deadline.
func (l *lateness) milliseconds() map[string]float64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	if len(l.values) == 0 {
		return nil
	}
	slices.Sort(l.values)
	at := func(share float64) float64 {
		index := min(int(share*float64(len(l.values))), len(l.values)-1)
		return float64(l.values[index]) / float64(time.Millisecond)
	}
	return map[string]float64{"p50": at(0.5), "p99": at(0.99), "p999": at(0.999), "max": at(1)}
}

type moment struct {
	at       time.Time
	ended    int64
	failed   int64
	user     float64
	system   float64
	attempts []int64
}

func seconds(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }

func (w *observer) now() moment {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err) // the kernel refuses it for wrong arguments only
	}
	taken := moment{
		at:     time.Now(),
		ended:  w.ended.Load(),
		failed: w.failed.Load(),
		user:   seconds(used.Utime),
		system: seconds(used.Stime),
	}
	for _, h := range w.homes {
		taken.attempts = append(taken.attempts, h.attempts.Load())
	}
	return taken
}

func (w *observer) begin() moment {
	w.lateness.clear()
	return w.now()
}

type figures struct {
	Version  string             `json:"version"`
	Seconds  float64            `json:"seconds"`
	Attempts int64              `json:"attempts"`
	Failed   int64              `json:"failed"`
	Failure  string             `json:"failure,omitempty"`
	User     float64            `json:"user"`
	System   float64            `json:"system"`
	Lateness map[string]float64 `json:"lateness,omitempty"`
	Resident int64              `json:"resident"`
	Ceilings int                `json:"ceilings"`
	PerHome  []int64            `json:"perHome,omitempty"`
}

func (w *observer) figures(before moment, o options) figures {
	after := w.now()
	made := figures{
		Version:  runtime.Version(),
		Seconds:  after.at.Sub(before.at).Seconds(),
		Attempts: after.ended - before.ended,
		Failed:   after.failed - before.failed,
		User:     after.user - before.user,
		System:   after.system - before.system,
		Lateness: w.lateness.milliseconds(),
		Resident: residentBytes(),
	}
	if text, ok := w.failure.Load().(string); ok {
		made.Failure = text
	}
	for i, h := range w.homes {
		if h.ceiling.Load() > 0 {
			made.Ceilings++
		}
		if o.perHome {
			made.PerHome = append(made.PerHome, after.attempts[i]-before.attempts[i])
		}
	}
	return made
}

func residentBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
