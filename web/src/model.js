// What a home is shown as: one plain record a home, made anew whenever something of it changes.
import { plural } from './format.js';

/** The worst first. `tone` is a color, `icon` a shape: neither stands alone. */
export const STATES = [
  { id: 'frozen', label: 'Frozen', tone: 'warn', icon: 'frost', help: 'Its map stays as it is: something about the service cannot be used' },
  { id: 'gated', label: 'Gated', tone: 'bad', icon: 'stop', help: 'Probes have failed: the home gets no traffic' },
  { id: 'preserved', label: 'Gate ignored', tone: 'warn', icon: 'passed', help: 'Probes have failed at every home of the service: its allFailedPolicy PreserveTraffic keeps the weights' },
  { id: 'failing', label: 'Failing', tone: 'warn', icon: 'triangle', help: 'Probes fail, not yet often enough to gate' },
  { id: 'fallback', label: 'Falling back', tone: 'note', icon: 'fallback', help: 'No usable capacity report: the plan counts' },
  { id: 'late', label: 'Late', tone: 'note', icon: 'clock', help: 'Nothing was heard of it for longer than its period' },
  { id: 'certificate', label: 'Certificate', tone: 'warn', icon: 'key', help: 'Its certificate ends within 14 days' },
  { id: 'skew', label: 'Clock skew', tone: 'note', icon: 'skew', help: 'Its clock is off by 5 seconds or more' },
  { id: 'drained', label: 'Drained', tone: 'plain', icon: 'drain', help: 'Somebody has taken it out of traffic' },
  { id: 'suspended', label: 'Suspended', tone: 'plain', icon: 'pause', help: 'Nothing is sent while its map is frozen' },
  { id: 'waiting', label: 'Waiting', tone: 'plain', icon: 'dots', help: 'No result has come yet' },
  { id: 'unknown', label: 'Not known', tone: 'plain', icon: 'question', help: 'The observer does not answer: only what the stored map says is known' },
  { id: 'unobserved', label: 'Not observed', tone: 'plain', icon: 'dash', help: 'Neither polled nor probed' },
  { id: 'ok', label: 'OK', tone: 'good', icon: 'check', help: 'Nothing is wrong with it' },
];

const RANK = new Map(STATES.map((state, index) => [state.id, index]));
export const STATE = new Map(STATES.map((state) => [state.id, state]));
export const rank = (id) => RANK.get(id) ?? STATES.length;

const DAY = 86_400_000;
export const SOON = 14 * DAY;
export const SKEWED = 5;

const SEPARATOR = '\u0000';
export const serviceKey = (ns, name) => ns + SEPARATOR + name;
export const homeKey = (ns, name, cluster) => ns + SEPARATOR + name + SEPARATOR + cluster;

const time = (text) => (text === undefined ? null : Date.parse(text) || null);
const latest = (a, b) => (a === null ? b : b === null ? a : Math.max(a, b));
const earliest = (a, b) => (a === null ? b : b === null ? a : Math.min(a, b));

function host(endpoint) {
  try {
    const url = new URL(endpoint);
    return url.host + (url.pathname === '/' ? '' : url.pathname);
  } catch {
    return endpoint;
  }
}

/**
 * `reading`: of the observer, or null. `entry`: of the stored map, or null. `frozen`: why the map stays as it is, or
 * empty. `away`: why nothing is known of readings at all, or empty.
 */
export function homeRecord(service, cluster, reading, entry, { frozen = '', away = '' } = {}) {
  const capacity = reading?.capacity ?? null;
  const probe = reading?.probe ?? null;
  const samples = capacity?.samples ?? [];
  const endpoint = reading?.endpoint ?? entry?.endpoint ?? '';
  const record = {
    key: homeKey(service.ns, service.name, cluster),
    serviceKey: serviceKey(service.ns, service.name),
    ns: service.ns,
    name: service.name,
    service: `${service.ns}/${service.name}`,
    cluster,
    endpoint,
    host: host(endpoint),
    suspended: service.suspended,
    frozen,
    away,
    observed: reading !== null,
    polled: capacity !== null,
    ceiling: capacity?.ceiling ?? null,
    reported: samples.length ? samples[samples.length - 1].servable : null,
    samples,
    validUntil: time(capacity?.validUntil),
    fallback: capacity?.fallbackReason ?? '',
    probe,
    gated: probe?.gated ?? entry?.gated ?? false,
    preserved: (entry?.gated ?? false) && entry.weight > 0,
    failures: probe?.consecutiveFailures ?? 0,
    passes: probe?.consecutivePasses ?? 0,
    lastPoll: time(capacity?.lastAttemptTime),
    nextPoll: time(capacity?.nextAttemptTime),
    lastProbe: time(probe?.lastProbeTime),
    nextProbe: time(probe?.nextAttemptTime),
    expires: time(reading?.tls?.notAfter),
    skew: reading?.clockSkewSeconds ?? null,
    weight: entry?.weight ?? null,
    drained: entry?.drained ?? false,
    share: null,
    flags: [],
    more: 0,
    state: 'ok',
    detail: '',
    text: '',
  };
  record.last = latest(record.lastPoll, record.lastProbe);
  record.next = earliest(record.nextPoll, record.nextProbe);
  record.text = [cluster, record.service, endpoint, record.fallback, probe?.message ?? '', frozen].join('\n').toLowerCase();
  return record;
}

// Times are told once a period, so a result may be a period old before it shows here.
function overdue(last, next, now) {
  if (next === null) return false;
  const period = last === null ? 10_000 : next - last;
  return now - next > Math.max(5000, 1.5 * period);
}

function flagsOf(record, now) {
  const flags = [];
  // Nothing is sent then, so that what was heard last is no state of now; a gate stays.
  const silent = record.suspended || record.frozen !== '';
  if (record.frozen) flags.push('frozen');
  if (record.preserved) flags.push('preserved');
  if (record.gated) flags.push('gated');
  if (record.probe?.result === 'Failing' && !record.gated && !silent) flags.push('failing');
  if (record.polled && record.ceiling === null && record.lastPoll !== null && !silent) flags.push('fallback');
  const late = overdue(record.lastPoll, record.nextPoll, now) || overdue(record.lastProbe, record.nextProbe, now);
  if (late && !silent) flags.push('late');
  if (record.expires !== null && record.expires - now < SOON) flags.push('certificate');
  if (record.skew !== null && Math.abs(record.skew) >= SKEWED) flags.push('skew');
  if (record.drained) flags.push('drained');
  if (record.suspended && !record.frozen) flags.push('suspended');
  if (record.away) flags.push('unknown');
  else if (!record.observed && !silent) flags.push('unobserved');
  else if (record.last === null && !silent) flags.push('waiting');
  return flags;
}

function failuresText(record) {
  return record.failures > 1 ? `${record.failures} failures` : '';
}

export const PRESERVED = 'All homes are gated, PreserveTraffic keeps their weights';

const joined = (...parts) => parts.filter(Boolean).join(' · ');

function detailOf(record, now) {
  switch (record.state) {
    case 'frozen':
      return record.frozen;
    case 'preserved':
      return joined(PRESERVED, failuresText(record), record.probe?.message);
    case 'unknown':
      return record.away;
    case 'gated':
      if (record.away) return joined('By the stored map', record.away);
      return record.passes > 0
        ? joined(plural(record.passes, 'pass', 'passes'), record.probe?.message)
        : joined(failuresText(record), record.probe?.message || 'Gate restored');
    case 'failing':
      return joined(failuresText(record), record.probe.message);
    case 'fallback':
      return record.fallback;
    case 'late':
      return record.last === null ? 'Never heard' : 'Overdue';
    case 'certificate':
      return record.expires <= now ? 'Certificate has expired' : 'Certificate ends soon';
    case 'skew':
      return record.skew > 0 ? 'Clock is ahead' : 'Clock is behind';
    case 'suspended':
      return 'Nothing is sent';
    case 'waiting':
      return 'First attempt is under way';
    case 'unobserved':
      return 'Weight follows the plan alone';
    case 'drained':
      return 'Drained by an operator';
    default:
      return record.probe?.result === 'Passing' ? 'Probe passes' : record.polled ? 'Reports arrive' : '';
  }
}

/** What depends on the time; true when something of it has changed. */
export function judge(record, now) {
  const found = flagsOf(record, now);
  const flags = found.length ? found : ['ok'];
  const same = record.detail !== '' && flags.join() === record.flags.join();
  record.flags = flags;
  record.state = flags[0];
  record.more = flags.length - (flags.includes('preserved') ? 2 : 1); // that one is a gate, too
  record.detail = detailOf(record, now);
  return !same;
}
