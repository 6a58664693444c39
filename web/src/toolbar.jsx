// What is shown of the fleet: view, words, states.
import { useEffect, useRef } from 'preact/hooks';
import { count } from './format.js';
import { Icon } from './icons.jsx';
import { STATES } from './model.js';

const ALWAYS = new Set(['gated', 'fallback', 'late', 'ok']);

// Known without readings.
const OF_MAPS = new Set(['frozen', 'gated', 'preserved', 'drained', 'unknown']);

function Chip({ state, homes, active, onToggle }) {
  return (
    <button type="button" class={`chip ${homes > 0 ? `tone-${state.tone}` : 'tone-quiet'}`} aria-pressed={active} title={state.help} onClick={() => onToggle(state.id)}>
      <Icon name={state.icon} />
      {state.label}
      <span class="chip-count">{count(homes)}</span>
    </button>
  );
}

function Views({ view, onView }) {
  const choice = (id, label) => (
    <button type="button" aria-pressed={view === id} onClick={() => onView(id)}>
      {label}
    </button>
  );
  return (
    <div class="views" role="group" aria-label="Rows are">
      {choice('homes', 'Homes')}
      {choice('services', 'Services')}
    </div>
  );
}

function Search({ value, onChange }) {
  const field = useRef(null);
  useEffect(() => {
    const jump = (event) => {
      const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
      if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        field.current?.focus();
      }
    };
    document.addEventListener('keydown', jump);
    return () => document.removeEventListener('keydown', jump);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="hidden">Filter by cluster, service, endpoint or message</span>
      <input
        ref={field}
        type="search"
        placeholder="Filter by cluster, service, message  ( / )"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

function SortChoice({ columns, sort, onSort }) {
  const by = sort.replace('-', '');
  return (
    <div class="sort-choice">
      <label for="sort">Sort by</label>
      <select id="sort" value={by} onChange={(event) => onSort(event.target.value)}>
        {columns.filter((column) => column.order).map((column) => (
          <option value={column.order}>{column.label}</option>
        ))}
      </select>
      <button type="button" aria-label="Turn the order around" onClick={() => onSort(sort.startsWith('-') ? by : `-${by}`)}>
        <Icon name={sort.startsWith('-') ? 'down' : 'up'} />
      </button>
    </div>
  );
}

export function Toolbar({ query, counts, columns, unheard, onQuery, onToggle, onView }) {
  const chips = STATES.filter(
    (state) => ALWAYS.has(state.id) || query.state.includes(state.id) || (counts.all.flags[state.id] ?? 0) > 0,
  );
  return (
    <div class="toolbar">
      <div class="toolbar-row">
        <Views view={query.view} onView={onView} />
        <Search value={query.q} onChange={(q) => onQuery({ q })} />
        <SortChoice columns={columns} sort={query.sort} onSort={(sort) => onQuery({ sort })} />
      </div>
      <div class="chips" role="group" aria-label="Show only homes in a state">
        {chips.map((state) => (
          <Chip
            key={state.id}
            state={state}
            homes={unheard && !OF_MAPS.has(state.id) ? null : counts.shown.flags[state.id] ?? 0}
            active={query.state.includes(state.id)}
            onToggle={onToggle}
          />
        ))}
        {query.service && (
          <button type="button" class="chip service-chip" aria-label={`Show all services, not only ${query.service}`} onClick={() => onQuery({ service: '' })}>
            <span class="muted">Service</span>
            <bdi class="clip">{query.service}</bdi>
            <Icon name="cross" />
          </button>
        )}
      </div>
    </div>
  );
}
