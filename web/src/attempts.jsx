// The last attempts of a home, the newest last: a strip to see the pattern, and below it each with its phases.
import { useState } from 'preact/hooks';
import { clock, span } from './format.js';
import { Icon } from './icons.jsx';

const PHASES = [
  { id: 'dns', label: 'Resolve' },
  { id: 'connect', label: 'Connect' },
  { id: 'tls', label: 'TLS' },
  { id: 'firstByte', label: 'Wait' },
  { id: 'read', label: 'Read' },
];

const RESULTS = {
  Accepted: { tone: 'good', icon: 'check', word: 'Accepted' },
  Passing: { tone: 'good', icon: 'check', word: 'Passing' },
  Failed: { tone: 'bad', icon: 'cross', word: 'Failed' },
  Failing: { tone: 'bad', icon: 'cross', word: 'Failing' },
  Unknown: { tone: 'plain', icon: 'question', word: 'Unknown' },
};

const CHANGES = {
  'gate-closed': 'Gate closed',
  'gate-lifted': 'Gate lifted',
  'ceiling-lost': 'Ceiling lost',
  'ceiling-known': 'Ceiling known',
  'ceiling-moved': 'Ceiling moved',
};

const MOST_LINES = 8;

const phase = (attempt, id) => attempt.ms[id] ?? 0;

function phasesOf(attempt) {
  const total = attempt.ms.total ?? 0;
  const named = ['dns', 'connect', 'tls', 'firstByte'].reduce((sum, id) => sum + phase(attempt, id), 0);
  return { ...attempt.ms, read: Math.max(0, total - named), total };
}

function resultText(attempt) {
  const report = attempt.servable === undefined ? '' : ` ${attempt.servable}`;
  return `${RESULTS[attempt.result]?.word ?? attempt.result}${report}`;
}

function Phases({ attempt, longest }) {
  const phases = phasesOf(attempt);
  const width = longest > 0 ? Math.max(1, (phases.total / longest) * 100) : 0;
  const words = PHASES.filter(({ id }) => phases[id] > 0)
    .map(({ id, label }) => `${label} ${span(phases[id])}`)
    .join(', ');
  return (
    <span class="phases" title={words}>
      <span class="phase-track" role="img" aria-label={words || 'nothing was sent'}>
        <span class="phase-bar" style={{ width: `${width}%` }}>
          {PHASES.filter(({ id }) => phases[id] > 0).map(({ id }) => (
            <span class={`phase phase-${id}`} style={{ flexGrow: phases[id] }} />
          ))}
        </span>
      </span>
      <span class="phase-total">{span(phases.total)}</span>
    </span>
  );
}

function Strip({ attempts, picked, onPick }) {
  return (
    <ol class="strip" aria-label="Attempts, the newest at the right">
      {attempts.map((attempt) => {
        const result = RESULTS[attempt.result] ?? RESULTS.Unknown;
        const change = CHANGES[attempt.change];
        const label = [clock(attempt.at), resultText(attempt), change].filter(Boolean).join(', ');
        return (
          <li>
            <button
              type="button"
              class={`mark tone-${result.tone} ${change ? 'changed' : ''}`}
              aria-label={label}
              aria-pressed={picked === attempt.time}
              title={label}
              onClick={() => onPick(picked === attempt.time ? null : attempt.time)}
            >
              <Icon name={result.icon} />
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function Line({ attempt, longest, picked }) {
  const result = RESULTS[attempt.result] ?? RESULTS.Unknown;
  const change = CHANGES[attempt.change];
  const reason = result.tone === 'good' ? '' : attempt.reason; // `HTTP 200` says nothing new
  return (
    <li class={`attempt ${picked ? 'picked' : ''}`}>
      <span class="attempt-time">{clock(attempt.at)}</span>
      <span class={`attempt-result tone-${result.tone}`}>
        <Icon name={result.icon} />
        {resultText(attempt)}
      </span>
      <Phases attempt={attempt} longest={longest} />
      {(reason || change) && (
        <span class="attempt-reason">
          {change && <strong>{change}</strong>}
          {change && reason && ' · '}
          <bdi>{reason}</bdi>
        </span>
      )}
    </li>
  );
}

function Legend() {
  return (
    <ul class="legend" aria-hidden="true">
      {PHASES.map(({ id, label }) => (
        <li>
          <span class={`phase phase-${id} swatch`} />
          {label}
        </li>
      ))}
    </ul>
  );
}

/** `attempts`: of one kind, the newest first. */
export function Attempts({ title, attempts }) {
  const [picked, setPicked] = useState(null);
  if (attempts.length === 0) return null;
  const chosen = attempts.filter((attempt) => attempt.time === picked);
  const shown = chosen.length ? chosen : attempts.slice(0, MOST_LINES);
  const longest = Math.max(...attempts.map((attempt) => attempt.ms.total ?? 0));
  return (
    <div class="attempts">
      <h4>{title}</h4>
      <Strip attempts={[...attempts].reverse()} picked={picked} onPick={setPicked} />
      <ol class="attempt-list">
        {shown.map((attempt) => (
          <Line key={attempt.time} attempt={attempt} longest={longest} picked={picked === attempt.time} />
        ))}
      </ol>
      <Legend />
    </div>
  );
}
