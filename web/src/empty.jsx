// Nothing to show: what to do about it.
import { isController, program } from './api.js';

function Commands({ lines }) {
  return (
    <pre tabIndex={0} role="region" aria-label="Commands">
      <code>{lines.join('\n')}</code>
    </pre>
  );
}

function OfObserver() {
  return (
    <>
      <h2>No services are declared</h2>
      <p>This observer polls and probes what it is told to. One of these tells it:</p>
      <ul>
        <li>
          <strong>ome-trafficmap</strong> declares the services of its InferenceServices by itself, once it leads.
        </li>
        <li>
          A file: start it with <code>--services FILE</code>, or add services to the file and send SIGHUP.
        </li>
        <li>
          Anything that speaks HTTP declares one service with a PUT:
          <Commands
            lines={[
              `curl -X PUT ${location.origin}/v1/services/demo/chat \\`,
              "  -H 'Content-Type: application/json' -d @declaration.json",
            ]}
          />
        </li>
      </ul>
      <p class="muted">
        <code>{program} check FILE</code> says what is wrong with a file before anything runs on it. This page changes by
        itself when the first service is there.
      </p>
    </>
  );
}

function OfController({ controller }) {
  const waiting = controller !== null && !controller.ready;
  const off = controller !== null && controller.configuration.routingOff !== '';
  const folder = controller?.store.startsWith('dir:') ?? false;
  return (
    <>
      <h2>{waiting ? 'The store is being read' : off ? 'No TrafficMaps: routing is off' : 'No TrafficMaps yet'}</h2>
      <p>
        A map is made for each InferenceService that is routed and placed on at least one cluster
        {controller && (
          <>
            . The store is <code>{controller.store}</code>
          </>
        )}
        .
      </p>
      {folder ? (
        <>
          <p>Put a manifest into the folder:</p>
          <Commands lines={['mkdir -p STORE/inferenceservices/NAMESPACE', 'cp isvc.yaml STORE/inferenceservices/NAMESPACE/NAME.yaml']} />
        </>
      ) : (
        <>
          <p>See which InferenceServices there are:</p>
          <Commands lines={['kubectl get inferenceservices.ome.io -A', 'kubectl get trafficmaps.ome.io -A']} />
        </>
      )}
      <p class="muted">
        <code>{program} check FILE</code> says what is wrong with a manifest. This page changes by itself.
      </p>
    </>
  );
}

export function Empty({ store }) {
  return <section class="empty">{isController ? <OfController controller={store.controller} /> : <OfObserver />}</section>;
}

export function NoMatch({ onClear }) {
  return (
    <section class="empty small-empty">
      <h2>No home fits the filter</h2>
      <p>
        <button type="button" class="primary" onClick={onClear}>
          Show all homes
        </button>
      </p>
    </section>
  );
}
