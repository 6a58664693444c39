// From records to the rows of a table: filtered, counted, sorted.
import { rank } from './model.js';

const text = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
// What is not known stands at the end, whichever way it is sorted.
const number = (get) => (a, b, turn) => {
  const x = get(a);
  const y = get(b);
  if (x === null || y === null) return x === y ? 0 : x === null ? turn : -turn;
  return x - y;
};

export const HOME_ORDERS = {
  state: (a, b) => rank(a.state) - rank(b.state),
  home: (a, b) => text(a.cluster, b.cluster),
  service: (a, b) => text(a.service, b.service),
  weight: number((home) => home.weight),
  ceiling: number((home) => home.ceiling),
  reported: number((home) => home.reported),
  checked: number((home) => home.last),
  certificate: number((home) => home.expires),
  skew: number((home) => (home.skew === null ? null : Math.abs(home.skew))),
};

export const SERVICE_ORDERS = {
  service: (a, b) => text(a.service, b.service),
  state: (a, b) => rank(a.state) - rank(b.state),
  homes: number((row) => row.homes),
  gated: number((row) => row.gated),
  fallback: number((row) => row.fallback),
  ceiling: number((row) => row.ceiling),
  weight: number((row) => row.weight),
  map: (a, b) => text(a.map?.routable ?? '', b.map?.routable ?? ''),
};

function sorted(rows, orders, sort, usual) {
  const turn = sort.startsWith('-') ? -1 : 1;
  const order = orders[sort.replace('-', '')] ?? orders[usual];
  return rows.sort(
    (a, b) => turn * order(a, b, turn) || text(a.service, b.service) || text(a.cluster ?? '', b.cluster ?? ''),
  );
}

const words = (q) => q.toLowerCase().split(/\s+/).filter(Boolean);

function matcher(query) {
  const wanted = words(query.q);
  return (record) =>
    (query.service === '' || record.service === query.service) && wanted.every((word) => record.text.includes(word));
}

/** How many homes are in each state, without regard to the states that are asked for. */
export function countHomes(records, query) {
  const all = { homes: 0, services: 0, flags: {} };
  const shown = { homes: 0, flags: {} };
  const services = new Set();
  const matches = matcher(query);
  for (const record of records.values()) {
    services.add(record.serviceKey);
    const both = matches(record) ? [all, shown] : [all];
    for (const counts of both) {
      counts.homes += 1;
      for (const flag of record.flags) counts.flags[flag] = (counts.flags[flag] ?? 0) + 1;
    }
  }
  all.services = services.size;
  return { all, shown };
}

function filtered(records, query) {
  const matches = matcher(query);
  const states = query.state;
  const rows = [];
  for (const record of records.values()) {
    if (matches(record) && (states.length === 0 || states.some((id) => record.flags.includes(id)))) rows.push(record);
  }
  return rows;
}

export function homeRows(records, query) {
  return sorted(filtered(records, query), HOME_ORDERS, query.sort, 'state');
}

function serviceRow(record) {
  return {
    key: record.serviceKey,
    service: record.service,
    ns: record.ns,
    name: record.name,
    homes: 0,
    gated: 0,
    fallback: 0,
    ceiling: null,
    weight: null,
    state: 'ok',
    states: {},
    map: null,
  };
}

const sum = (a, b) => (b === null ? a : (a ?? 0) + b);

/** Services that have a home which fits, with the figures of all their homes. */
export function serviceRows(records, query, maps) {
  const fits = new Set(filtered(records, query).map((record) => record.serviceKey));
  const rows = new Map();
  for (const record of records.values()) {
    if (!fits.has(record.serviceKey)) continue;
    let row = rows.get(record.serviceKey);
    if (row === undefined) rows.set(record.serviceKey, (row = serviceRow(record)));
    row.homes += 1;
    row.gated += record.flags.includes('gated') ? 1 : 0;
    row.fallback += record.flags.includes('fallback') ? 1 : 0;
    row.ceiling = sum(row.ceiling, record.ceiling);
    row.weight = sum(row.weight, record.weight);
    row.states[record.state] = (row.states[record.state] ?? 0) + 1;
    if (rank(record.state) < rank(row.state)) row.state = record.state;
  }
  for (const map of maps) {
    const row = rows.get(`${map.namespace}\u0000${map.name}`);
    if (row) row.map = map;
  }
  return sorted([...rows.values()], SERVICE_ORDERS, query.sort, 'service');
}
