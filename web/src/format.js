// Numbers and times as people read them.

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const NONE = '–';

export function count(value) {
  return Number.isFinite(value) ? whole.format(value) : NONE;
}

export function decimal(value) {
  return Number.isFinite(value) ? fine.format(value) : NONE;
}

export function plural(value, one, many = `${one}s`) {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function percent(share) {
  if (!Number.isFinite(share)) return NONE;
  const value = share * 100;
  return `${value > 0 && value < 10 ? fine.format(value) : whole.format(value)} %`;
}

/** `12 ms`, `1.25 s`, `2 min 5 s`, `3 h 12 min`, `4 d 2 h`. */
export function span(milliseconds) {
  if (!Number.isFinite(milliseconds)) return NONE;
  const ms = Math.max(0, milliseconds);
  if (ms < 1) return ms === 0 ? '0 ms' : `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(2).replace(/\.?0+$/, '')} s`;
  return coarse(ms);
}

/** In whole seconds and above. */
export function coarse(milliseconds) {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, 'min', minutes < 10 ? seconds % 60 : 0, 's');
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return two(hours, 'h', minutes % 60, 'min');
  const days = Math.floor(hours / 24);
  return days < 10 ? two(days, 'd', hours % 24, 'h') : `${whole.format(days)} d`;
}

function two(big, bigUnit, small, smallUnit) {
  return small > 0 ? `${big} ${bigUnit} ${small} ${smallUnit}` : `${big} ${bigUnit}`;
}

export function ago(milliseconds) {
  return milliseconds < 1000 ? 'just now' : `${short(milliseconds)} ago`;
}

/** The largest unit alone: for columns. */
export function short(milliseconds) {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${whole.format(Math.floor(seconds / 86_400))} d`;
}

const pad = (value) => String(value).padStart(2, '0');

export function clock(at) {
  const time = new Date(at);
  return `${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`;
}

export function date(at) {
  const time = new Date(at);
  return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

/** The time alone today, with the date otherwise. */
export function moment(at, now) {
  return date(at) === date(now) ? clock(at) : `${date(at)} ${clock(at)}`;
}

export function expiry(at, now) {
  if (at === null) return NONE;
  return at <= now ? 'expired' : short(at - now);
}

/** Whole seconds, positive: ahead. */
export function skew(seconds) {
  if (seconds === null) return NONE;
  if (seconds === 0) return '0 s';
  return `${seconds > 0 ? '+' : '−'}${short(Math.abs(seconds) * 1000)}`;
}
