package main

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// saturate keeps all workers busy; homes follow each other in a round.
func saturate(w *observer, o options) {
	var next atomic.Uint64
	var all sync.WaitGroup
	for range o.workers {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				w.attempt(w.homes[(next.Add(1)-1)%uint64(len(w.homes))])
			}
		}()
	}
	all.Wait()
}

type entry struct {
	due  time.Time
	home *home
}

// byDue is a heap of homes, the most overdue first.
type byDue []entry

func (b byDue) Len() int           { return len(b) }
func (b byDue) Less(i, j int) bool { return b[i].due.Before(b[j].due) }
func (b byDue) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }
func (b *byDue) Push(x any)        { *b = append(*b, x.(entry)) }
func (b *byDue) Pop() any {
	last := len(*b) - 1
	popped := (*b)[last]
	*b = (*b)[:last]
	return popped
}

// spread gives every home its own moment of the period.
func spread(w *observer, period time.Duration) byDue {
	begin := time.Now()
	due := make(byDue, 0, len(w.homes))
	for i, h := range w.homes {
		due = append(due, entry{begin.Add(period * time.Duration(i) / time.Duration(len(w.homes))), h})
	}
	heap.Init(&due)
	return due
}

// keepRhythm attempts each home once a period. One goroutine knows what is due and hands it to the
// workers; a home that is attempted comes back with its next deadline, from which nothing drifts.
func keepRhythm(w *observer, o options) {
	due := spread(w, o.period)
	work := make(chan entry)
	for range o.workers {
		go func() {
			for one := range work {
				w.lateness.add(time.Since(one.due))
				w.attempt(one.home)
			}
		}()
	}
	for {
		one := due[0]
		if wait := time.Until(one.due); wait > 0 {
			time.Sleep(wait)
		}
		work <- one
		due[0].due = nextDue(one.due, o.period)
		heap.Fix(&due, 0)
	}
}

// nextDue leaves out the deadlines that have passed already: none is made up for.
func nextDue(due time.Time, period time.Duration) time.Time {
	late := max(time.Since(due), 0)
	return due.Add(late.Truncate(period) + period)
}

// reconcile is how a controller's reconcile loop observes: a worker takes a service that is due,
// attempts its homes one after the other, and asks to be woken for it one period later.
func reconcile(w *observer, o options) {
	queue := make(chan []*home, len(w.homes))
	for begin := 0; begin < len(w.homes); begin += o.perService {
		queue <- w.homes[begin:min(begin+o.perService, len(w.homes))]
	}
	for range o.workers {
		go func() {
			for service := range queue {
				for _, h := range service {
					w.attempt(h)
				}
				time.AfterFunc(o.period, func() { queue <- service })
			}
		}()
	}
}
