// One home, in full: beside the table where there is room, over it where there is none. It does not block the table.
import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from './api.js';
import { Attempts } from './attempts.jsx';
import { Chart, pointsOf } from './chart.jsx';
import { ago, coarse, count, moment, NONE, plural, skew } from './format.js';
import { Icon } from './icons.jsx';
import { PRESERVED, SKEWED, SOON } from './model.js';
import { StateBadge } from './state.jsx';
import { Weight } from './weight.jsx';

const ASK_EVERY = 2500;
const MOST_POINTS = 600;

const withTime = (attempt) => ({ ...attempt, at: Date.parse(attempt.time) });

// What the history has forgotten meanwhile is kept while the drawer is open.
function merged(log, attempts) {
  const known = new Map(log.map((attempt) => [attempt.kind + attempt.time, attempt]));
  for (const attempt of attempts) known.set(attempt.kind + attempt.time, attempt);
  return [...known.values()].sort((a, b) => b.at - a.at).slice(0, MOST_POINTS);
}

// `asked`: an answer has come, or the word that there is none.
const NOTHING = { asked: false, log: [], explanation: null, problem: '', explainProblem: '' };

/** The answers about one home, asked for again and again while it is shown. */
function useDetails(home) {
  const [details, setDetails] = useState(NOTHING);
  useEffect(() => {
    let over = false;
    let timer = 0;
    setDetails(NOTHING);
    const ask = async () => {
      const [history, explanation] = await Promise.allSettled([
        api.history(home.ns, home.name, home.cluster),
        api.isController ? api.explanation(home.ns, home.name) : Promise.resolve(null),
      ]);
      if (over) return;
      setDetails((old) => {
        const attempts = history.value?.body.homes[0]?.attempts.map(withTime) ?? [];
        return {
          asked: true,
          log: merged(old.log, attempts),
          problem: history.reason ? api.problemText(history.reason) : '',
          explanation: explanation.value?.body ?? old.explanation,
          explainProblem: explanation.reason ? api.problemText(explanation.reason) : '',
        };
      });
      timer = setTimeout(ask, ASK_EVERY);
    };
    void ask();
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [home.key]);
  return details;
}

function Fact({ name, children, tone }) {
  return (
    <div class={`fact ${tone ? `fact-${tone}` : ''}`}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Times({ last, next, now }) {
  return (
    <span class="muted small">
      {last === null ? 'never yet' : ago(now - last)}
      {next !== null && next > now && `, next in ${coarse(next - now + 999)}`}
    </span>
  );
}

function CeilingFact({ home, now }) {
  if (!home.polled) return <Fact name="Ceiling">{home.away ? 'not known' : 'not polled'}</Fact>;
  return (
    <Fact name="Ceiling" tone={home.ceiling === null && home.lastPoll !== null ? 'note' : ''}>
      <strong class="figure">{home.ceiling === null ? 'none' : count(home.ceiling)}</strong>
      {home.reported !== null && <span>last report {count(home.reported)}</span>}
      <Times last={home.lastPoll} next={home.nextPoll} now={now} />
    </Fact>
  );
}

const failuresText = (failures) => (failures === 1 ? '1 failure' : `${count(failures)} failures in a row`);

function probeWords(home) {
  const { probe } = home;
  if (home.gated) {
    return home.passes > 0 ? `${plural(home.passes, 'pass', 'passes')} since` : failuresText(home.failures);
  }
  return home.failures > 0 ? failuresText(home.failures) : probe.message;
}

function ProbeFact({ home, now }) {
  if (home.probe === null) return <Fact name="Probe">{home.away ? 'not known' : home.observed ? 'none yet, or off' : 'not probed'}</Fact>;
  return (
    <Fact name="Probe" tone={home.gated ? 'bad' : home.probe.result === 'Failing' ? 'warn' : ''}>
      <strong class="figure">{home.gated ? 'Gated' : home.probe.result}</strong>
      <span>
        <bdi>{probeWords(home)}</bdi>
      </span>
      <Times last={home.lastProbe} next={home.nextProbe} now={now} />
    </Fact>
  );
}

function CertificateFact({ home, now }) {
  if (home.expires === null) return <Fact name="Certificate">{!home.endpoint.startsWith('https:') ? 'plain HTTP' : home.away ? 'not known' : 'not seen yet'}</Fact>;
  const left = home.expires - now;
  return (
    <Fact name="Certificate" tone={left <= 0 ? 'bad' : left < SOON ? 'warn' : ''}>
      <strong class="figure">{left <= 0 ? 'expired' : coarse(left)}</strong>
      <span>{left <= 0 ? `${coarse(-left)} ago` : 'left'}</span>
      <span class="muted small">{moment(home.expires, now)}</span>
    </Fact>
  );
}

function SkewFact({ home }) {
  const off = home.skew !== null && Math.abs(home.skew) >= SKEWED;
  return (
    <Fact name="Clock skew" tone={off ? 'note' : ''}>
      {home.skew === null ? (
        home.away ? 'not known' : 'not told yet'
      ) : (
        <>
          <strong class="figure">{skew(home.skew)}</strong>
          <span>{home.skew === 0 ? 'in step' : home.skew > 0 ? 'ahead of the observer' : 'behind the observer'}</span>
        </>
      )}
    </Fact>
  );
}

function Reasons({ home }) {
  const lines = [];
  if (home.frozen) lines.push(['Frozen', home.frozen]);
  if (home.away) lines.push(['Readings', home.away]);
  if (home.preserved) lines.push(['Gate', `It is ignored: ${PRESERVED.charAt(0).toLowerCase()}${PRESERVED.slice(1)}`]);
  if (home.probe && home.probe.result !== 'Passing' && home.probe.message) lines.push(['Probe', home.probe.message]);
  if (home.fallback) lines.push(['Capacity', home.fallback]);
  if (lines.length === 0) return null;
  return (
    <dl class="reasons">
      {lines.map(([name, text]) => (
        <div>
          <dt>{name}</dt>
          <dd>
            <bdi>{text}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Head({ home, position, total, onMove, onClose, heading }) {
  return (
    <header class="drawer-head">
      <div class="drawer-title">
        <h2 id="drawer-title" tabIndex={-1} ref={heading}>
          <bdi>{home.cluster}</bdi>
        </h2>
        <p class="muted">
          <bdi>{home.service}</bdi>
        </p>
      </div>
      <div class="drawer-buttons">
        <button type="button" aria-label="Home before" title="Home before" disabled={position <= 0} onClick={() => onMove(-1)}>
          <Icon name="up" />
        </button>
        <button type="button" aria-label="Home after" title="Home after" disabled={position < 0 || position >= total - 1} onClick={() => onMove(1)}>
          <Icon name="down" />
        </button>
        <button type="button" aria-label="Close" title="Close (Escape)" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </div>
    </header>
  );
}

// Admitted replicas, by the explanation.
function planOf(explanation, cluster) {
  const steps = explanation?.homes.find((home) => home.cluster === cluster)?.steps ?? [];
  const value = Number.parseFloat(steps.find((step) => step.what === 'admitted')?.value);
  return Number.isFinite(value) ? value : null;
}

function polled(log) {
  return pointsOf(
    log
      .filter((attempt) => attempt.kind === 'poll')
      .map(({ at, servable, ceiling }) => ({ at, servable: servable ?? null, ceiling: ceiling ?? null })),
  );
}

export function Drawer({ home, store, position, total, onMove, onClose }) {
  const { asked, log, explanation, problem, explainProblem } = useDetails(home);
  const heading = useRef(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [home.key]);
  const now = store.now();
  const of = (kind) => log.filter((attempt) => attempt.kind === kind).slice(0, 20);
  return (
    <div class="drawer" role="dialog" aria-labelledby="drawer-title">
      <Head home={home} position={position} total={total} onMove={onMove} onClose={onClose} heading={heading} />
      <div class="drawer-body" tabIndex={0} role="region" aria-label="Details">
        {store.stale && <p class="last-known">Last known values, {coarse(Date.now() - store.line.since)} old</p>}
        <p class="badges">
          {home.flags.map((id) => (
            <StateBadge id={id} />
          ))}
        </p>
        <p class="endpoint">
          <bdi>{home.endpoint || NONE}</bdi>
        </p>
        <Reasons home={home} />
        <dl class="facts">
          <CeilingFact home={home} now={now} />
          <ProbeFact home={home} now={now} />
          <CertificateFact home={home} now={now} />
          <SkewFact home={home} />
        </dl>
        <section>
          <h3>Weight</h3>
          <Weight home={home} explanation={explanation} problem={explainProblem} />
        </section>
        {home.polled && (
          <section>
            <h3>Ceiling against reported values</h3>
            <Chart points={polled(log)} asked={asked} problem={problem} now={store.knownUntil()} plan={planOf(explanation, home.cluster)} />
          </section>
        )}
        <section>
          <h3>Attempts</h3>
          {problem && (
            <p class="muted">
              The history cannot be read: <bdi>{problem}</bdi>
            </p>
          )}
          {!problem && log.length === 0 && <p class="muted">{asked ? 'No attempt has ended yet.' : 'Reading the history'}</p>}
          <Attempts title="Probes" attempts={of('probe')} />
          <Attempts title="Polls" attempts={of('poll')} />
        </section>
      </div>
    </div>
  );
}
