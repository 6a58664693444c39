// The columns of both tables. What a narrow window leaves out the drawer shows.
import { isController } from './api.js';
import { count, expiry, NONE, percent, plural, short, skew } from './format.js';
import { SKEWED, SOON, STATE, STATES } from './model.js';
import { StateBadge } from './state.jsx';

const only = (condition, column) => (condition ? [column] : []);

export function Share({ weight, share }) {
  if (weight === null) return <span class="muted">{NONE}</span>;
  return (
    <span class="share">
      <span class="share-number">{count(weight)}</span>
      <span class="share-bar" aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
      <span class="share-part">{percent(share)}</span>
    </span>
  );
}

function ceilingOf(home) {
  if (home.ceiling !== null) return count(home.ceiling);
  return home.polled ? <span class="muted" title={home.fallback}>none</span> : <span class="muted" title={home.away || 'Not polled'}>{NONE}</span>;
}

const LOUD = new Set(['frozen', 'preserved', 'gated', 'failing', 'fallback']);

export const HOME_COLUMNS = [
  { id: 'state', label: 'State', order: 'state', cell: (home) => <StateBadge id={home.state} more={home.more} /> },
  {
    id: 'home',
    label: 'Home',
    order: 'home',
    main: true,
    popup: 'dialog',
    cell: (home) => (
      <>
        <bdi class="strong clip">{home.cluster}</bdi>
        <bdi class="muted small clip wide-only">{home.host}</bdi>
      </>
    ),
  },
  { id: 'service', label: 'Service', order: 'service', cell: (home) => <bdi class="clip">{home.service}</bdi> },
  ...only(isController, {
    id: 'weight',
    label: 'Weight',
    order: 'weight',
    cell: (home) => <Share weight={home.weight} share={home.share ?? 0} />,
  }),
  { id: 'ceiling', label: 'Ceiling', order: 'ceiling', cell: ceilingOf },
  { id: 'reported', label: 'Reported', order: 'reported', cell: (home) => (home.reported === null ? NONE : count(home.reported)) },
  { id: 'detail', label: 'Detail', cell: (home) => <bdi class={`clip ${LOUD.has(home.state) ? '' : 'muted'}`} title={home.detail}>{home.detail}</bdi> },
  {
    id: 'checked',
    label: 'Checked',
    order: 'checked',
    cell: (home, now) => (home.last === null ? <span class="muted">{home.away ? NONE : 'never'}</span> : <span class="nowrap">{short(Math.max(0, now - home.last))}</span>),
  },
  {
    id: 'certificate',
    label: 'Certificate',
    order: 'certificate',
    cell: (home, now) => (
      <span class={home.expires !== null && home.expires - now < SOON ? 'strong' : 'muted'}>{expiry(home.expires, now)}</span>
    ),
  },
  {
    id: 'skew',
    label: 'Skew',
    order: 'skew',
    cell: (home) => <span class={Math.abs(home.skew ?? 0) >= SKEWED ? 'strong' : 'muted'}>{skew(home.skew)}</span>,
  },
];

export const homeLabel = (home) =>
  ` of ${home.service}, ${home.flags.map((id) => STATE.get(id).label).join(', ')}. Show details`;

// How many homes are in which state, as a bar and in words.
function Mix({ row }) {
  const parts = STATES.filter((state) => row.states[state.id]);
  const words = parts.map((state) => `${count(row.states[state.id])} ${state.label.toLowerCase()}`).join(', ');
  return (
    <span class="mix">
      <span class="mix-bar" aria-hidden="true">
        {parts.map((state) => (
          <span class={`tone-${state.tone}`} style={{ flexGrow: row.states[state.id] }} />
        ))}
      </span>
      <span class="small clip">{words}</span>
    </span>
  );
}

const number = (value) => (value === null ? <span class="muted">{NONE}</span> : value === 0 ? <span class="muted">0</span> : count(value));

function Condition({ text }) {
  if (!text) return <span class="muted">{NONE}</span>;
  const [status, reason] = text.split(' ');
  return (
    <span class={status === 'True' ? '' : 'strong'}>
      {reason}
      {status !== 'True' && <span class="muted small"> ({status === 'False' ? 'no' : 'unknown'})</span>}
    </span>
  );
}

export const SERVICE_COLUMNS = [
  { id: 'state', label: 'Worst home', order: 'state', cell: (row) => <StateBadge id={row.state} /> },
  { id: 'name', label: 'Service', order: 'service', main: true, cell: (row) => <bdi class="strong clip">{row.service}</bdi> },
  { id: 'mix', label: 'Homes', order: 'homes', cell: (row) => <Mix row={row} /> },
  { id: 'gated', label: 'Gated', order: 'gated', cell: (row) => number(row.gated) },
  { id: 'fallback', label: 'Falling back', order: 'fallback', cell: (row) => number(row.fallback) },
  { id: 'ceiling', label: 'Ceilings', order: 'ceiling', cell: (row) => number(row.ceiling) },
  ...only(isController, {
    id: 'map',
    label: 'Map',
    order: 'map',
    cell: (row) => (row.map?.frozen ? <span class="strong">Frozen</span> : <Condition text={row.map?.routable} />),
  }),
  ...only(isController, { id: 'published', label: 'Published', cell: (row) => <Condition text={row.map?.published} /> }),
];

export const serviceLabel = (row) => `, ${plural(row.homes, 'home')}. Show its homes`;
