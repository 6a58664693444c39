// Everything that is known, and who wants to hear of changes. Changes are gathered: however many come, there is one
// rendering a frame, and with a large fleet a few a second.
import * as api from './api.js';
import { Feed } from './feed.js';
import { homeRecord, judge, serviceKey } from './model.js';

const STATUS_EVERY = 2000;
const LARGE = 500; // homes
const LARGE_PAUSE = 250;

export class Store {
  services = new Map(); // key -> {ns, name, suspended, homes: Map(cluster -> reading)}
  entries = new Map(); // key of a service -> Map(cluster -> entry of the stored map)
  frozen = new Map(); // key of a service -> why its map stays as it is
  records = new Map(); // key -> record of model.js
  instance = '';
  listed = false; // the readings have been there once
  heardAt = 0;
  line = { state: 'connecting', problem: '', since: 0, retryAt: 0, status: 0 };
  status = null; // of the observer
  controller = null; // its status
  controllerProblem = '';
  offset = 0; // of the server's clock
  version = 0;

  #listeners = new Set();
  #frame = 0;
  #timer = 0;
  #renderedAt = 0;
  #feed = new Feed({
    all: (list) => this.#takeAll(list),
    lines: (lines) => this.#takeLines(lines),
    heard: () => this.#heard(),
    lost: (problem, retryAt) => this.#lost(problem, retryAt),
  });

  start() {
    this.#feed.start();
    void this.#poll();
    setInterval(() => this.#tick(), 1000);
  }

  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  retry() {
    this.#feed.retry();
  }

  useToken(token) {
    api.useToken(token);
    this.retry();
  }

  now() {
    return Date.now() + this.offset;
  }

  /** Until when something is known, by the server's clock. */
  knownUntil() {
    return this.stale ? this.line.since + this.offset : this.now();
  }

  get stale() {
    return this.line.state === 'lost';
  }

  /** Since the page was opened nothing has been heard of the observer, but maybe of the controller. */
  get unheard() {
    return api.isController && !this.listed;
  }

  // Readings.

  #takeAll({ services, instance }) {
    this.services = new Map();
    for (const service of services) this.#put(service, true);
    this.instance = instance;
    this.listed = true;
    this.#heard();
    this.#rebuild();
  }

  #put(service, whole) {
    const key = serviceKey(service.namespace, service.name);
    let known = this.services.get(key);
    if (known === undefined || whole) {
      known = { ns: service.namespace, name: service.name, suspended: false, homes: new Map() };
      this.services.set(key, known);
    }
    const turned = known.suspended !== service.suspended;
    known.suspended = service.suspended;
    for (const home of service.homes) known.homes.set(home.cluster, home);
    return { known, turned };
  }

  #takeLines(lines) {
    for (const line of lines) {
      if (line.type === 'Reading') this.#change(line.service);
      else if (line.type === 'Forgotten') this.#forget(line.service);
    }
    this.#changed();
  }

  #change(service) {
    const { known, turned } = this.#put(service, false);
    const clusters = turned ? [...known.homes.keys()] : service.homes.map((home) => home.cluster);
    for (const cluster of clusters) this.#record(known, cluster);
  }

  #forget({ namespace, name, clusters }) {
    const key = serviceKey(namespace, name);
    const known = this.services.get(key);
    if (known === undefined) return;
    for (const cluster of clusters ?? [...known.homes.keys()]) {
      known.homes.delete(cluster);
      this.#record(known, cluster);
    }
    if (clusters === undefined) this.services.delete(key);
  }

  // Maps are known of the controller, and readings not yet: that is another thing than no readings.
  #away() {
    if (!this.unheard) return '';
    return this.stale ? 'The observer does not answer' : 'Asking the observer';
  }

  // From the reading and the stored map, of which either may be missing.
  #record(service, cluster) {
    const entry = this.entries.get(serviceKey(service.ns, service.name))?.get(cluster) ?? null;
    const reading = service.homes.get(cluster) ?? null;
    const frozen = this.frozen.get(serviceKey(service.ns, service.name));
    const record = homeRecord(service, cluster, reading, entry, { frozen, away: this.#away() });
    if (reading === null && entry === null) {
      this.records.delete(record.key);
      return;
    }
    record.share = entry === null ? null : entry.share;
    judge(record, this.now());
    this.records.set(record.key, record);
  }

  #rebuild() {
    this.records = new Map();
    const services = new Map(this.services);
    for (const [key, homes] of this.entries) {
      if (!services.has(key)) services.set(key, { ns: homes.ns, name: homes.name, suspended: false, homes: new Map() });
    }
    for (const [key, service] of services) {
      const clusters = new Set([...service.homes.keys(), ...(this.entries.get(key)?.keys() ?? [])]);
      for (const cluster of clusters) this.#record(service, cluster);
    }
    this.#changed();
  }

  #heard() {
    this.heardAt = Date.now();
    if (this.line.state !== 'live') {
      this.line = { state: 'live', problem: '', since: Date.now(), retryAt: 0, status: 0 };
      this.#changed(true);
    }
  }

  #lost(problem, retryAt) {
    const since = this.line.state === 'lost' ? this.line.since : this.heardAt || Date.now();
    this.line = {
      state: 'lost',
      problem: api.problemText(problem),
      since,
      retryAt,
      status: problem.status ?? 0,
      behind: api.isController && !(problem instanceof TypeError), // it is not the server of this page that is away
    };
    if (this.unheard) this.#rebuild();
    this.#changed(true);
  }

  // Figures.

  async #poll() {
    for (;;) {
      if (!document.hidden) await Promise.all([this.#pollObserver(), ...(api.isController ? [this.#pollController()] : [])]);
      await new Promise((resolve) => setTimeout(resolve, STATUS_EVERY));
    }
  }

  async #pollObserver() {
    if (this.line.status === 401) return;
    try {
      const { body, date } = await api.observerStatus();
      this.status = body;
      // The header counts whole seconds: what is less is no difference.
      if (date !== null) this.offset = Math.abs(date + 500 - Date.now()) < 1500 ? 0 : date + 500 - Date.now();
      this.#changed(true);
    } catch {
      // The stream tells whether the observer is there.
    }
  }

  async #pollController() {
    try {
      const [status, maps] = await Promise.all([api.controllerStatus(), api.maps()]);
      this.controller = status.body;
      this.controllerProblem = '';
      this.frozen = new Map(
        status.body.maps.filter((map) => map.frozen).map((map) => [serviceKey(map.namespace, map.name), map.frozen]),
      );
      this.#takeMaps(maps.body.maps);
    } catch (error) {
      this.controllerProblem = api.problemText(error);
      this.#changed(true);
    }
  }

  #takeMaps(maps) {
    this.entries = new Map();
    for (const { namespace, name, entries } of maps) {
      const sum = entries.reduce((total, entry) => total + entry.weight, 0);
      const homes = new Map(
        entries.map((entry) => [entry.cluster, { ...entry, share: sum > 0 ? entry.weight / sum : 0 }]),
      );
      homes.ns = namespace;
      homes.name = name;
      this.entries.set(serviceKey(namespace, name), homes);
    }
    this.#rebuild();
  }

  // Renderings.

  // Nobody is late because nobody tells of it.
  #tick() {
    const now = this.now();
    if (!this.stale) this.#judgeAll(now);
    this.#changed(true);
  }

  #judgeAll(now) {
    for (const record of this.records.values()) {
      if (judge(record, now)) this.records.set(record.key, { ...record });
    }
  }

  #changed(soon = false) {
    this.version += 1;
    if (this.#frame || this.#timer) return;
    const wait = soon || this.records.size < LARGE ? 0 : this.#renderedAt + LARGE_PAUSE - performance.now();
    if (wait > 0) {
      this.#timer = setTimeout(() => {
        this.#timer = 0;
        this.#nextFrame();
      }, wait);
    } else {
      this.#nextFrame();
    }
  }

  #nextFrame() {
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#renderedAt = performance.now();
      for (const listener of this.#listeners) listener();
    });
  }
}
