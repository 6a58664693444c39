// Requests to the server that the page came from. Paths are relative, so that it may stand behind a prefix.

const mode = document.querySelector('meta[name="ome-mode"]')?.content ?? 'observer';
export const isController = mode === 'controller';
export const program = isController ? 'ome-trafficmap' : 'ome-observer';

// The controller passes the observer's answers on.
const observed = isController ? 'observer/v1/' : 'v1/';

const PATIENCE = 10_000;
let token = '';

export function useToken(text) {
  token = text;
}

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** For people. */
export function problemText(error) {
  if (error instanceof TypeError) return 'no connection';
  return error.name === 'TimeoutError' ? `no answer within ${PATIENCE / 1000} s` : error.message;
}

async function problemOf(answer) {
  const text = await answer.text().catch(() => '');
  try {
    return JSON.parse(text).error.message;
  } catch {
    return text.trim().slice(0, 300) || `HTTP ${answer.status}`;
  }
}

async function ask(path, signal) {
  const headers = { Accept: 'application/json' };
  if (token) headers.Authorization = `Bearer ${token}`;
  const answer = await fetch(path, { headers, signal, cache: 'no-store', credentials: 'same-origin' });
  if (!answer.ok) throw new ApiError(answer.status, await problemOf(answer));
  return answer;
}

async function document_(path) {
  const answer = await ask(path, AbortSignal.timeout(PATIENCE));
  const date = Date.parse(answer.headers.get('Date') ?? '');
  return { body: await answer.json(), date: Number.isFinite(date) ? date : null };
}

const parts = (...names) => names.map(encodeURIComponent).join('/');

export const observerStatus = () => document_(`${observed}status`);
export const controllerStatus = () => document_('v1/status?output=json');
export const maps = () => document_('v1/maps');
export const explanation = (ns, name) => document_(`v1/maps/${parts(ns, name)}/explain?output=json`);
export const history = (ns, name, cluster) =>
  document_(`${observed}services/${parts(ns, name)}/history?cluster=${encodeURIComponent(cluster)}`);

export function servicesPage(limit, more) {
  const next = more ? `&continue=${encodeURIComponent(more)}` : '';
  return document_(`${observed}services?limit=${limit}${next}`);
}

export function watch(since, signal) {
  return ask(`${observed}watch?since=${encodeURIComponent(since)}`, signal);
}
