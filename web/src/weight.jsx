// How a weight comes about: the steps of the controller's explanation. The observer alone has none.
import { isController } from './api.js';
import { count, percent } from './format.js';

const STEPS = {
  admitted: 'Admitted',
  ready: 'Ready',
  ceiling: 'Ceiling',
  factor: 'Factor',
  gate: 'Gate',
  preserved: 'Preserved',
  reduced: 'Divided',
  capped: 'Capped',
  withdrawn: 'Withdrawn',
  drain: 'Drain',
  stored: 'Stored',
};

function Steps({ steps }) {
  return (
    <table class="steps">
      <thead>
        <tr>
          <th scope="col">Step</th>
          <th scope="col">Why</th>
          <th scope="col" class="number">
            Leaves
          </th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step, index) => (
          <tr class={index > 0 && step.value === '0' ? 'to-zero' : ''}>
            <th scope="row">{STEPS[step.what] ?? step.what}</th>
            <td>
              <bdi>{step.text}</bdi>
            </td>
            <td class="number">{step.value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Of({ home }) {
  return (
    <>
      <p class="weight-line">
        <strong class="figure">{count(home.weight)}</strong>
        <span>{percent(home.share)} of the traffic</span>
        <span class="share-bar" aria-hidden="true">
          <span style={{ width: `${home.share * 100}%` }} />
        </span>
      </p>
      {home.steps.length > 0 ? (
        <Steps steps={home.steps} />
      ) : (
        <p>
          <bdi>{home.text}</bdi>
        </p>
      )}
    </>
  );
}

function Notes({ explanation }) {
  const lines = [...explanation.notes];
  const { lastGood, frozen } = explanation;
  if (lastGood) lines.unshift(`${lastGood.at} cannot be used since ${lastGood.since}: ${lastGood.problem}; the last good state is in force`);
  if (frozen) lines.unshift(`Frozen: ${frozen}`);
  if (lines.length === 0) return null;
  return (
    <ul class="notes">
      {lines.map((line) => (
        <li>
          <bdi>{line}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function Weight({ home, explanation, problem }) {
  if (!isController) {
    return (
      <p class="muted">
        The observer measures and decides no weight. What follows from its readings the page of ome-trafficmap explains
        (port 7470 unless it was told another), and <code>kubectl ome traffic why</code>.
      </p>
    );
  }
  if (explanation === null) {
    return <p class="muted">{problem ? <bdi>{problem}</bdi> : 'Asking the controller'}</p>;
  }
  const found = explanation.homes.find((one) => one.cluster === home.cluster);
  const shadow = explanation.shadow?.find((one) => one.cluster === home.cluster);
  return (
    <>
      {found ? <Of home={found} /> : <p class="muted">It is no home of this map.</p>}
      {shadow && (
        <>
          <h4>In shadow: what the readings would make of it</h4>
          <Of home={shadow} />
        </>
      )}
      <p class="muted small">
        <bdi>{explanation.routable}</bdi>
      </p>
      <Notes explanation={explanation} />
    </>
  );
}
