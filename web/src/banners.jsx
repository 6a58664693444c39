// What people must know before they read on.
import { useState } from 'preact/hooks';
import { isController, program } from './api.js';
import { clock, coarse, moment } from './format.js';
import { Icon } from './icons.jsx';

function Banner({ tone, icon, title, children, alert }) {
  return (
    <div class={`banner tone-${tone}`} role={alert ? 'alert' : undefined}>
      <Icon name={icon} />
      <div>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}

function TokenForm({ store }) {
  const [token, setToken] = useState('');
  const send = (event) => {
    event.preventDefault();
    store.useToken(token.trim());
  };
  return (
    <form class="token" onSubmit={send}>
      <label for="token">Token of the API</label>
      <input id="token" type="password" autocomplete="off" value={token} onInput={(event) => setToken(event.target.value)} />
      <button type="submit">Use it</button>
      <p class="muted">It is kept until this page is closed, and is sent to this server alone.</p>
    </form>
  );
}

// Of what has not answered since the page was opened.
function noAnswer({ line, controller }, now) {
  if (!line.behind) return `No answer from ${program}.`;
  const heard = controller?.observer.heard;
  if (controller === null) return 'The observer does not answer.';
  return `The observer does not answer: the controller has heard nothing of it since ${heard ? moment(Date.parse(heard), now) : 'it was started'}.`;
}

// A screen reader hears the first sentence once; the seconds that count are silent.
export function LineBanner({ store }) {
  const { line, listed } = store;
  if (line.state !== 'lost') return null;
  if (line.status === 401) {
    return (
      <Banner tone="warn" icon="key" title="This observer asks for a token." alert>
        <TokenForm store={store} />
      </Banner>
    );
  }
  const now = Date.now();
  const wait = Math.max(0, Math.ceil((line.retryAt - now) / 1000));
  const whom = line.behind ? 'the observer' : program;
  return (
    <div class="banner tone-bad stale-banner">
      <Icon name="cross" />
      <div>
        <strong role="alert">{listed ? `No news from ${whom} since ${moment(line.since, now)}.` : noAnswer(store, now)}</strong>{' '}
        {!listed && line.behind && <span>Only what the stored maps say is known: weights, drains, and gates as they were written. </span>}
        {listed && <span>What you see are the last known values, {coarse(now - line.since)} old. </span>}
        <span class="reason">
          <bdi>{line.problem}</bdi>
        </span>
        <span class="retry">
          {wait > 0 ? `Next attempt in ${wait} s. ` : 'Trying again. '}
          <button type="button" onClick={() => store.retry()}>
            Try now
          </button>
        </span>
      </div>
    </div>
  );
}

function Lines({ items }) {
  return (
    <ul>
      {items.map((item) => (
        <li>
          <bdi>{item}</bdi>
        </li>
      ))}
    </ul>
  );
}

function controllerTroubles({ controller, controllerProblem }) {
  const troubles = [];
  if (controllerProblem) troubles.push(`The controller does not answer: ${controllerProblem}`);
  if (controller === null) return troubles;
  if (controller.observer.silent) {
    troubles.push('The controller has heard nothing from its observer: capacity falls open, gates and drains stay');
  } else if (controller.observer.problem) {
    troubles.push(`The line to the observer: ${controller.observer.problem}`);
  }
  if (controller.configuration.problem) {
    troubles.push(`Configuration ${controller.configuration.source}: ${controller.configuration.problem}; an earlier one is in force`);
  }
  for (const warning of controller.configuration.warnings) troubles.push(`Configuration ${warning}`);
  for (const one of controller.troubles) {
    troubles.push(`The API server, ${one.at}, since ${one.since}: ${one.problem}`);
  }
  for (const map of controller.maps) {
    if (map.frozen) troubles.push(`Map ${map.namespace}/${map.name} is frozen: ${map.frozen}`);
  }
  for (const file of controller.unusable) troubles.push(`${file.at}: ${file.problem}`);
  for (const right of controller.missingRights) {
    troubles.push(`Missing right to ${right.verb} ${right.resource}${right.namespace ? ` in ${right.namespace}` : ''}: ${right.hinders}`);
  }
  return troubles;
}

const MOST_TROUBLES = 5;

function Troubles({ store }) {
  const [all, setAll] = useState(false);
  const troubles = controllerTroubles(store);
  if (troubles.length === 0) return null;
  const shown = all ? troubles : troubles.slice(0, MOST_TROUBLES);
  return (
    <Banner tone="warn" icon="triangle" title="Needs attention">
      <Lines items={shown} />
      {troubles.length > MOST_TROUBLES && (
        <button type="button" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${troubles.length}`}
        </button>
      )}
    </Banner>
  );
}

// Whether nobody can tell by it who leads: whoever leads yet does so until its lease runs out.
export const lacksLease = (controller) => !controller.leading && controller.troubles.some((one) => one.at === 'lease');

function Role({ controller }) {
  if (controller === null || (controller.leading && !controller.dryRun)) return null;
  if (controller.dryRun) {
    return (
      <Banner tone="note" icon="dash" title="Dry run: ">
        <span>everything is computed, nothing is written.</span>
      </Banner>
    );
  }
  if (lacksLease(controller)) {
    return (
      <Banner tone="warn" icon="pause" title="Finding out who leads: ">
        <span>the Lease can be neither read nor renewed, so this controller writes nothing.</span>
      </Banner>
    );
  }
  const lease = controller.lease;
  return (
    <Banner tone="note" icon="pause" title="Standby: ">
      <span>
        another controller leads and declares to its own observer
        {lease?.holder && (
          <>
            {' '}
            (<bdi>{lease.holder}</bdi>)
          </>
        )}
        ; look at its page for readings.
      </span>
    </Banner>
  );
}

// What was turned off on purpose says so in the configuration; a slip there looks like something else.
function RoutingOff({ controller }) {
  const why = controller?.configuration.routingOff;
  if (!why) return null;
  return (
    <Banner tone={why === 'routing.enabled is false' ? 'note' : 'bad'} icon="stop" title="Routing is OFF: no map is kept and nothing is published. " alert>
      <bdi>{why}</bdi>
    </Banner>
  );
}

export function Banners({ store }) {
  const advice = store.status?.advice ?? [];
  return (
    <div class="banners">
      <LineBanner store={store} />
      {isController && <RoutingOff controller={store.controller} />}
      {isController && <Role controller={store.controller} />}
      {isController && <Troubles store={store} />}
      {advice.length > 0 && (
        <Banner tone="warn" icon="gauge" title="The request budget is short">
          <Lines items={advice} />
        </Banner>
      )}
    </div>
  );
}

/** In the header: live, or since when not. */
export function Connection({ store }) {
  const { line } = store;
  if (line.state === 'live') {
    return (
      <span class="connection tone-good">
        <Icon name="check" />
        Live
      </span>
    );
  }
  if (line.state === 'lost') {
    return (
      <span class="connection tone-bad">
        <Icon name="cross" />
        Not live since {clock(line.since)}
      </span>
    );
  }
  return (
    <span class="connection tone-plain">
      <Icon name="dots" />
      Connecting
    </span>
  );
}
