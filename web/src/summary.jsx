// The fleet in a row of tiles. Those that count homes in a state filter the table by it.
import { count, decimal, percent, plural, span } from './format.js';
import { Icon } from './icons.jsx';
import { STATE } from './model.js';

// `homes` null: not known.
function StateTile({ id, homes, total, active, onToggle, children }) {
  const state = STATE.get(id);
  const tone = homes > 0 ? state.tone : 'quiet';
  return (
    <button type="button" class={`tile tone-${tone}`} aria-pressed={active} title={state.help} onClick={() => onToggle(id)}>
      <span class="tile-name">
        <Icon name={state.icon} />
        {state.label}
      </span>
      <span class="tile-value">{count(homes)}</span>
      <span class="tile-note">{homes === null ? 'not known' : children ?? (homes > 0 ? `${percent(homes / total)} of homes` : 'none')}</span>
    </button>
  );
}

function Budget({ status }) {
  const { limit, inUse, needed } = status?.budget ?? {};
  const known = Number.isFinite(limit);
  const short = known && needed > limit;
  const fill = known ? Math.min(1, Math.max(inUse, needed) / limit) : 0;
  return (
    <div class={`tile ${short ? 'tone-warn' : 'tone-quiet'}`}>
      <span class="tile-name">
        <Icon name="gauge" />
        Request budget
      </span>
      <span class="tile-value">
        {known ? count(inUse) : '–'}
        <small> of {known ? count(limit) : '–'} in use</small>
      </span>
      <span class="meter" aria-hidden="true">
        <span style={{ width: `${fill * 100}%` }} />
      </span>
      <span class="tile-note">
        {!known ? 'not known yet' : `${decimal(needed)} needed: ${short ? 'too few' : 'enough'}`}
      </span>
    </div>
  );
}

function MapsTile({ controller, published }) {
  const frozen = controller.maps.filter((map) => map.frozen).length;
  return (
    <div class={`tile ${frozen ? 'tone-warn' : 'tone-quiet'}`}>
      <span class="tile-name">
        <Icon name="map" />
        TrafficMaps
      </span>
      <span class="tile-value">{count(controller.maps.length)}</span>
      <span class="tile-note">{frozen ? `${count(frozen)} frozen` : published}</span>
    </div>
  );
}

function publishedText(maps) {
  const published = maps.filter((map) => map.published.startsWith('True')).length;
  return published ? `${count(published)} published` : 'none frozen';
}

export function Summary({ counts, store, query, onToggle }) {
  const { status, controller } = store;
  const unheard = store.unheard;
  const ignored = counts.flags.preserved ?? 0;
  const tile = (id, note, homes = unheard ? null : counts.flags[id] ?? 0) => (
    <StateTile id={id} homes={homes} total={counts.homes} active={query.state.includes(id)} onToggle={onToggle}>
      {note}
    </StateTile>
  );
  const lateness = status?.lateness?.p99Seconds;
  return (
    <section class="tiles" aria-label="Fleet">
      <button type="button" class="tile tone-quiet" aria-pressed={query.state.length === 0} title="Show all homes" onClick={() => onToggle(null)}>
        <span class="tile-name">
          <Icon name="homes" />
          Homes
        </span>
        <span class="tile-value">{count(counts.homes)}</span>
        <span class="tile-note">in {plural(counts.services, 'service')}</span>
      </button>
      {tile('gated', ignored ? `${plural(ignored, 'gate')} ignored` : unheard ? 'by the stored maps' : undefined, counts.flags.gated ?? 0)}
      {tile('fallback')}
      {tile('late', Number.isFinite(lateness) ? `p99 lateness ${span(lateness * 1000)}` : undefined)}
      {controller && <MapsTile controller={controller} published={publishedText(controller.maps)} />}
      <Budget status={status} />
    </section>
  );
}
