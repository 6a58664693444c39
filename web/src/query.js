// What is looked at, as the part of the URL after `#`: a link shows others the same.
import { STATE } from './model.js';

export const DEFAULT = Object.freeze({ view: 'homes', q: '', state: [], service: '', sort: 'state', home: '' });

const SORT = /^-?[a-z]+$/;

// Slashes are no danger here, and `%2F` is hard to read.
const escaped = (value) => encodeURIComponent(value).replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%3A', ':');

/** Of names that may hold anything: as one word. */
export const joinNames = (...names) => names.map(encodeURIComponent).join('/');

export function splitNames(text) {
  try {
    return text.split('/').map(decodeURIComponent);
  } catch {
    return [];
  }
}

export function readQuery(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const sort = given.get('sort') ?? '';
  return {
    view: given.get('view') === 'services' ? 'services' : 'homes',
    q: given.get('q') ?? '',
    state: (given.get('state') ?? '').split(',').filter((id) => STATE.has(id)),
    service: given.get('service') ?? '',
    sort: SORT.test(sort) ? sort : given.get('view') === 'services' ? 'service' : DEFAULT.sort,
    home: given.get('home') ?? '',
  };
}

export function writeQuery(query) {
  const usual = { ...DEFAULT, sort: query.view === 'services' ? 'service' : DEFAULT.sort };
  const parts = [];
  for (const name of Object.keys(DEFAULT)) {
    const value = Array.isArray(query[name]) ? query[name].join(',') : query[name];
    const plain = Array.isArray(usual[name]) ? '' : usual[name];
    if (value !== plain) parts.push(`${name}=${escaped(value)}`);
  }
  return parts.length ? `#${parts.join('&')}` : '';
}
