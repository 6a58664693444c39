// The programs of a test: simulated homes, an observer, a controller; on loopback, ended by their process.
import { spawn } from 'node:child_process';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = (name) => process.env[`OME_${name}`];

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function answers(url, child) {
  for (let turn = 0; turn < 200; turn += 1) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} has ended: ${child.said}`);
    const ok = await fetch(url).then((answer) => answer.ok, () => false);
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} does not answer: ${child.said}`);
}

function start(binary, args) {
  const child = spawn(binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      child.said = (child.said + text).slice(-4000);
    });
  }
  return child;
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await over;
  clearTimeout(timer);
}

export const PROBE = {
  path: '/v1/models',
  method: 'GET',
  acceptStatuses: [200],
  gateStatuses: [503],
  period: '1s',
  timeout: '800ms',
  failureThreshold: 2,
  successThreshold: 2,
  allFailedPolicy: 'PreserveTraffic',
};
export const CAPACITY = {
  path: '/capacity',
  method: 'GET',
  format: 'Report',
  samples: 4,
  quorum: 2,
  period: '1s',
  timeout: '800ms',
  maxAge: '30s',
};

export class World {
  constructor() {
    this.children = [];
  }

  static async begin() {
    const world = new World();
    world.folder = await mkdtemp(join(tmpdir(), 'ome-page-'));
    return world;
  }

  async end() {
    for (const child of this.children.reverse()) await end(child);
    await rm(this.folder, { recursive: true, force: true });
  }

  path(...names) {
    return join(this.folder, ...names);
  }

  start(name, args) {
    const child = start(program(name), args);
    this.children.push(child);
    return child;
  }

  /** `tls`: also on ports with certificates, of which the first is good. */
  async homes(count, { tls = false } = {}) {
    const secured = tls ? ['--tls-port', '0', '--ca-file', this.path('ca.pem')] : [];
    const child = this.start('HOMESIM', ['--homes', String(count), '--port', '0', '--control', '0', ...secured]);
    for (let turn = 0; turn < 400 && !child.said.includes('\n'); turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    const said = Object.fromEntries(child.said.trim().split(/\s+/).slice(1).map((word) => word.split('=')));
    this.homesAt = said.homes.split(',')[0];
    this.tlsAt = tls ? `https://localhost:${new URL(said.tls.split(',')[0].replace('good:', '')).port}` : '';
    this.control = said.control;
  }

  async behave(homes, behaviour) {
    const answer = await fetch(`${this.control}/homes/${homes}`, { method: 'POST', body: JSON.stringify(behaviour) });
    if (!answer.ok) throw new Error(await answer.text());
  }

  endpoint(home) {
    return `${this.homesAt}/h/${home}`;
  }

  secured(home) {
    return `${this.tlsAt}/h/${home}`;
  }

  service(name, homes, more = {}) {
    return {
      namespace: 'prod',
      name,
      ownerUID: `uid-${name}`,
      probe: PROBE,
      capacity: CAPACITY,
      homes: Object.entries(homes).map(([cluster, endpoint]) => ({ cluster, endpoint })),
      ...more,
    };
  }

  /** Listens where it did before, when it has. `services` null: whoever asks declares. */
  async observe(services, ...flags) {
    this.port ??= await freePort();
    this.address = `http://127.0.0.1:${this.port}`;
    const file = this.path('services.json');
    if (services !== null) await writeFile(file, JSON.stringify(services));
    this.observer = this.start('OBSERVER', [
      'serve',
      ...(services === null ? [] : ['--services', file]),
      '--allow-loopback',
      '--listen',
      `127.0.0.1:${this.port}`,
      ...(this.tlsAt ? ['--ca-file', this.path('ca.pem')] : []),
      ...flags,
    ]);
    if (!flags.includes('--token-file')) await answers(`${this.address}/readyz`, this.observer);
    else await new Promise((resolve) => setTimeout(resolve, 500));
    return this.address;
  }

  async declare(services) {
    await writeFile(this.path('services.json'), JSON.stringify(services));
    this.observer.kill('SIGHUP');
  }

  async put(service) {
    const answer = await fetch(`${this.address}/v1/services/${service.namespace}/${service.name}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(service),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  async removeObserver() {
    await end(this.observer);
  }

  /** `more`: of its spec. */
  async placed(name, homes, annotations = {}, more = {}) {
    const folder = this.path('store', 'inferenceservices', 'prod');
    await mkdir(folder, { recursive: true });
    const document = {
      apiVersion: 'ome.io/v1beta1',
      kind: 'InferenceService',
      metadata: { name, namespace: 'prod', annotations },
      spec: {
        ...more,
        placement: {
          policy: 'ClusterAffinity',
          mode: 'All',
          clusterAffinity: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: Object.keys(homes) }] }],
        },
      },
      status: {
        placement: {
          phase: 'Placed',
          candidates: Object.entries(homes).map(([cluster, { endpoint, replicas = 2 }]) => ({
            cluster,
            phase: 'Admitted',
            endpoint,
            admittedReplicas: replicas,
            readyReplicas: replicas,
          })),
        },
      },
    };
    await writeFile(join(folder, `${name}.json`), JSON.stringify(document));
  }

  /** `change`: of `routing` in its configuration. */
  async controlled(change = () => {}) {
    const configuration = {
      routing: {
        enabled: true,
        probe: PROBE,
        capacity: CAPACITY,
        publisher: { resyncInterval: '1m' },
        observer: { maxConcurrentReconciles: 8, maxConcurrentRequests: 16, maxResponseBytes: 65536, minPeriod: '1s', maxSamples: 100 },
      },
    };
    change(configuration.routing);
    await writeFile(this.path('config.json'), JSON.stringify(configuration));
    await mkdir(this.path('store', 'inferenceservices'), { recursive: true });
    const port = await freePort();
    this.controllerAddress = `http://127.0.0.1:${port}`;
    this.controller = this.start('TRAFFICMAP', [
      'run',
      `--store=dir:${this.path('store')}`,
      `--config=${this.path('config.json')}`,
      `--observer=${this.address}`,
      `--listen=127.0.0.1:${port}`,
    ]);
    await answers(`${this.controllerAddress}/readyz`, this.controller);
    return this.controllerAddress;
  }
}
