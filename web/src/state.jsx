import { Icon } from './icons.jsx';
import { STATE } from './model.js';

/** A state as shape, color and word. */
export function StateBadge({ id, more = 0 }) {
  const state = STATE.get(id);
  return (
    <span class={`badge tone-${state.tone}`}>
      <Icon name={state.icon} />
      {state.label}
      {more > 0 && <span class="more">+{more}</span>}
    </span>
  );
}
