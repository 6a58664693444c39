import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { isController, program } from './api.js';
import { Banners, Connection, lacksLease } from './banners.jsx';
import { HOME_COLUMNS, homeLabel, SERVICE_COLUMNS, serviceLabel } from './columns.jsx';
import { Drawer } from './drawer.jsx';
import { Empty, NoMatch } from './empty.jsx';
import { clock, coarse, count, plural } from './format.js';
import { homeKey } from './model.js';
import { DEFAULT, joinNames, readQuery, splitNames, writeQuery } from './query.js';
import { countHomes, homeRows, serviceRows } from './rows.js';
import { Summary } from './summary.jsx';
import { Table } from './table.jsx';
import { Toolbar } from './toolbar.jsx';

const NARROW = '(max-width: 700px)';
const ROW = 46;
const NARROW_ROW = 72;

/** Renders again when the store has something new. */
function useStore(store) {
  const [, setVersion] = useState(0);
  useEffect(() => store.subscribe(() => setVersion(store.version)), [store]);
}

function useNarrow() {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const list = matchMedia(NARROW);
    const follow = () => setNarrow(list.matches);
    list.addEventListener('change', follow);
    return () => list.removeEventListener('change', follow);
  }, []);
  return narrow;
}

/** The query of the URL, and a function that changes a part of it. */
function useQuery() {
  const [query, setQuery] = useState(() => readQuery(location.hash));
  useEffect(() => {
    const follow = () => setQuery(readQuery(location.hash));
    window.addEventListener('popstate', follow);
    window.addEventListener('hashchange', follow);
    return () => {
      window.removeEventListener('popstate', follow);
      window.removeEventListener('hashchange', follow);
    };
  }, []);
  const change = useCallback((part) => {
    const next = { ...readQuery(location.hash), ...part };
    const place = writeQuery(next) || location.pathname + location.search;
    // A drawer that opens is a step that the browser's button takes back.
    if (part.home && !readQuery(location.hash).home) history.pushState(null, '', place);
    else history.replaceState(null, '', place);
    setQuery(next);
  }, []);
  return [query, change];
}

function roleOf(controller) {
  if (controller.dryRun) return 'dry run';
  if (controller.leading) return 'leading';
  return lacksLease(controller) ? 'finding out who leads' : 'standby';
}

function Header({ store }) {
  const version = isController ? store.controller?.version : store.status?.version;
  const uptime = isController ? store.controller?.uptimeSeconds : store.status?.uptimeSeconds;
  const role = store.controller && roleOf(store.controller);
  return (
    <header class="top">
      <h1>
        <svg class="logo" viewBox="0 0 16 16" width="22" height="22" aria-hidden="true">
          <rect width="16" height="16" rx="4" />
          <path d="M3 9h2.5l1.5-4 2.5 6 1.5-3H13" />
        </svg>
        {program}
        {version && <span class="version">{version}</span>}
      </h1>
      <div class="top-facts">
        {role && <span>{role}</span>}
        {Number.isFinite(uptime) && <span class="uptime">up {coarse(uptime * 1000)}</span>}
        <Connection store={store} />
      </div>
    </header>
  );
}

function Footer({ store }) {
  const json = isController ? 'v1/status' : 'v1/services';
  return (
    <footer class="bottom muted small">
      <span>
        The same for programs: <a href={json}>{json}</a>, <a href="metrics">metrics</a>,{' '}
        <a href={isController ? 'v1/openapi.json' : 'openapi.json'}>description of the API</a>; as a table:{' '}
        <a href="status">status</a>
      </span>
      {store.instance && (
        <span>
          instance <bdi>{store.instance}</bdi>
        </span>
      )}
    </footer>
  );
}

function countText(query, shown, all, store) {
  const rows = query.view === 'services' ? plural(shown, 'service') : plural(shown, 'home');
  const whole = query.view === 'services' ? all.services : all.homes;
  const text = shown === whole ? rows : `${count(shown)} of ${query.view === 'services' ? plural(whole, 'service') : plural(whole, 'home')}`;
  return store.stale && store.listed ? `${text}, last known at ${clock(store.line.since)}` : text;
}

// By the names of the URL, so that a link to a home that is not there yet opens when it comes.
function homeOf(store, query) {
  const names = splitNames(query.home);
  return names.length === 3 ? store.records.get(homeKey(...names)) ?? null : null;
}

function useEscape(open, close) {
  useEffect(() => {
    if (!open) return undefined;
    const follow = (event) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close();
    };
    document.addEventListener('keydown', follow);
    return () => document.removeEventListener('keydown', follow);
  }, [open, close]);
}

// The row that was shown last, or what comes before the table when it is gone.
function focusTable() {
  const row = document.querySelector('.row-button[tabindex="0"]') ?? document.querySelector('.search input');
  row?.focus({ preventScroll: true });
}

function Fleet({ store, query, change }) {
  const narrow = useNarrow();
  const services = query.view === 'services';
  const columns = services ? SERVICE_COLUMNS : HOME_COLUMNS;
  const maps = store.controller?.maps ?? [];
  const [rows, counts] = useMemo(
    () => [services ? serviceRows(store.records, query, maps) : homeRows(store.records, query), countHomes(store.records, query)],
    [store.version, query],
  );
  const home = homeOf(store, query);
  const position = home && !services ? rows.findIndex((row) => row.key === home.key) : -1;

  const open = useCallback(
    (row) => {
      if (services) change({ view: 'homes', service: row.service, sort: DEFAULT.sort });
      else change({ home: joinNames(row.ns, row.name, row.cluster) });
    },
    [services, change],
  );
  const close = useCallback(() => {
    change({ home: '' });
    requestAnimationFrame(focusTable);
  }, [change]);
  useEscape(home !== null, close);

  const toggle = (id) => {
    if (id === null) change({ state: [] });
    else change({ state: query.state.includes(id) ? query.state.filter((one) => one !== id) : [...query.state, id] });
  };
  const view = (id) => change({ view: id, sort: id === 'services' ? 'service' : DEFAULT.sort });
  const move = (step) => {
    const next = rows[position + step];
    if (next) change({ home: joinNames(next.ns, next.name, next.cluster) });
  };

  return (
    <>
      <Summary counts={counts.all} store={store} query={query} onToggle={toggle} />
      <Toolbar query={query} counts={counts} columns={columns} unheard={store.unheard} onQuery={change} onToggle={toggle} onView={view} />
      <p class="count" role="status">
        {countText(query, rows.length, counts.all, store)}
      </p>
      {rows.length === 0 ? (
        <NoMatch onClear={() => change({ q: '', state: [], service: '' })} />
      ) : (
        <div class="table-box">
          <Table
            label={services ? 'Services' : 'Homes'}
            className={`${services ? 'services' : 'homes'} ${isController ? 'with-weights' : ''}`}
            rows={rows}
            columns={columns}
            height={narrow ? NARROW_ROW : ROW}
            now={store.now()}
            second={Math.floor(store.now() / 1000)}
            sort={query.sort}
            selected={home?.key ?? null}
            onSort={(sort) => change({ sort })}
            onOpen={open}
            openLabel={services ? serviceLabel : homeLabel}
          />
        </div>
      )}
      {home && <Drawer home={home} store={store} position={position} total={rows.length} onMove={move} onClose={close} />}
    </>
  );
}

function Loading() {
  return (
    <p class="loading muted" role="status">
      Reading what is observed
    </p>
  );
}

export function App({ store }) {
  useStore(store);
  const [query, change] = useQuery();
  const known = store.listed || store.records.size > 0;
  const open = homeOf(store, query) !== null;
  return (
    <div class={`page ${store.stale ? 'stale' : ''} ${open ? 'with-drawer' : ''}`}>
      <Header store={store} />
      <main>
        <Banners store={store} />
        {!known && !store.stale && <Loading />}
        {known && store.records.size === 0 && <Empty store={store} />}
        {known && store.records.size > 0 && <Fleet store={store} query={query} change={change} />}
      </main>
      <Footer store={store} />
    </div>
  );
}
