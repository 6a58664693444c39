package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	mostBodyBytes = 65536
	samples       = 4
	quorum        = 2
)

// What a home reports.
type report struct {
	Servable   int64     `json:"servable"`
	ObservedAt time.Time `json:"observedAt"`
}

// A home is attempted by one worker at a time.
type home struct {
	request  *http.Request
	window   [samples]report
	taken    int
	ceiling  atomic.Int64
	attempts atomic.Int64
}

type observer struct {
	client   *http.Client
	homes    []*home
	probe    bool
	timeout  time.Duration
	ended    atomic.Int64
	failed   atomic.Int64
	failure  atomic.Value // the text of the first one
	lateness lateness
}

func newClient(o options) (*http.Client, error) {
	transport := &http.Transport{
		MaxIdleConnsPerHost: 2,
		MaxIdleConns:        0, // no limit over all hosts
		DisableCompression:  true,
		DisableKeepAlives:   o.fresh,
		ReadBufferSize:      4096,
		WriteBufferSize:     1024,
	}
	if o.dial != "" {
		var dialer net.Dialer
		transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, o.dial)
		}
	}
	if o.caFile != "" {
		pem, err := os.ReadFile(o.caFile)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, errors.New(o.caFile + ": holds no certificate")
		}
		// Without a session cache no session is resumed, so every handshake is a full one.
		transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

func newObserver(client *http.Client, urls []string, o options) (*observer, error) {
	made := &observer{client: client, probe: o.probe, timeout: o.timeout}
	for _, url := range urls {
		request, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		made.homes = append(made.homes, &home{request: request})
	}
	return made, nil
}

// Bodies are read into buffers that are used again.
var buffers = sync.Pool{New: func() any { return new([mostBodyBytes]byte) }}

func (w *observer) attempt(h *home) {
	err := w.exchange(h)
	h.attempts.Add(1)
	w.ended.Add(1)
	if err != nil {
		w.failed.Add(1)
		w.failure.CompareAndSwap(nil, err.Error())
	}
}

func (w *observer) exchange(h *home) error {
	ctx, cancel := context.WithTimeout(context.Background(), w.timeout)
	defer cancel()
	answer, err := w.client.Do(h.request.WithContext(ctx))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	buffer := buffers.Get().(*[mostBodyBytes]byte)
	defer buffers.Put(buffer)
	size, err := io.ReadFull(answer.Body, buffer[:])
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return errors.Join(err, errors.New("the body is too long"))
	}
	if answer.StatusCode != http.StatusOK {
		return errors.New(answer.Status)
	}
	if w.probe {
		return nil
	}
	return h.take(buffer[:size])
}

// take adds a report to the window; the most that it holds is the ceiling once there are enough.
func (h *home) take(body []byte) error {
	var told report
	if err := json.Unmarshal(body, &told); err != nil {
		return err
	}
	if told.Servable < 0 || told.ObservedAt.IsZero() {
		return errors.New("not a valid report")
	}
	h.window[h.taken%samples] = told
	h.taken++
	if h.taken < quorum {
		return nil
	}
	var most int64
	for _, sample := range h.window[:min(h.taken, samples)] {
		most = max(most, sample.Servable)
	}
	h.ceiling.Store(most)
	return nil
}
