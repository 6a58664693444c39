// A small observer in Go, to compare with: net/http with its best settings for this work, a pool of
// workers, encoding/json, a window of samples for each home. Standard library only.
//
// It observes the homes of a file for a while and prints one JSON object with what that cost.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"
)

type options struct {
	mode       string
	homesFile  string
	perService int
	workers    int
	period     time.Duration
	timeout    time.Duration
	warmUp     time.Duration
	duration   time.Duration
	probe      bool
	fresh      bool
	caFile     string
	dial       string
	perHome    bool
}

func parse() options {
	var o options
	flag.StringVar(&o.mode, "mode", "saturated",
		"saturated: as fast as the workers can; rhythm: each home once a period, the most overdue first;\n"+
			"reconcile: each worker takes a service and observes its homes one after the other")
	flag.StringVar(&o.homesFile, "homes", "", "file with the URL of a home on each line")
	flag.IntVar(&o.perService, "per-service", 10, "homes of a service, for -mode reconcile")
	flag.IntVar(&o.workers, "workers", 64, "requests at once")
	flag.DurationVar(&o.period, "period", time.Second, "of each home")
	flag.DurationVar(&o.timeout, "timeout", 500*time.Millisecond, "of an attempt")
	flag.DurationVar(&o.warmUp, "warm-up", 2*time.Second, "before what is measured")
	flag.DurationVar(&o.duration, "duration", 5*time.Second, "of what is measured")
	flag.BoolVar(&o.probe, "probe", false, "look at the status only; without it a report is parsed")
	flag.BoolVar(&o.fresh, "fresh", false, "a new connection for each attempt")
	flag.StringVar(&o.caFile, "ca", "", "PEM file of the authority that homes are verified by")
	flag.StringVar(&o.dial, "dial", "", "HOST:PORT that is connected to whatever the URL says")
	flag.BoolVar(&o.perHome, "per-home", false, "print how often each home was observed")
	flag.Parse()
	return o
}

func readLines(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var lines []string
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if len(lines) == 0 && scanner.Err() == nil {
		return nil, fmt.Errorf("%s: no home is in it", path)
	}
	return lines, scanner.Err()
}

func run(o options) error {
	modes := map[string]func(*observer, options){
		"saturated": saturate, "rhythm": keepRhythm, "reconcile": reconcile,
	}
	mode, known := modes[o.mode]
	if !known {
		return fmt.Errorf("-mode %s: must be saturated, rhythm or reconcile", o.mode)
	}
	urls, err := readLines(o.homesFile)
	if err != nil {
		return err
	}
	client, err := newClient(o)
	if err != nil {
		return err
	}
	watched, err := newObserver(client, urls, o)
	if err != nil {
		return err
	}
	go mode(watched, o)
	time.Sleep(o.warmUp)
	before := watched.begin()
	time.Sleep(o.duration)
	return json.NewEncoder(os.Stdout).Encode(watched.figures(before, o))
}

func main() {
	if err := run(parse()); err != nil {
		fmt.Fprintln(os.Stderr, "goobserver:", err)
		os.Exit(1)
	}
}
