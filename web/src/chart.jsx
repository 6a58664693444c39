// Ceiling against reported values over time: a step line, dots for reports, crosses for polls that failed, hatching
// where there was no ceiling.
import { clock, count, plural } from './format.js';

const WIDTH = 560;
const HEIGHT = 190;
const LEFT = 34;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 24;
const SHORTEST = 20_000;

/** Polls of the history, oldest first, as points; what is far older than the others is left out. */
export function pointsOf(polls) {
  const points = [...polls].sort((a, b) => a.at - b.at);
  if (points.length < 3) return points;
  const recent = points.slice(-10);
  const width = Math.max(SHORTEST, recent[recent.length - 1].at - recent[0].at);
  const begin = recent[0].at - 3 * width;
  return points.filter((point) => point.at >= begin);
}

// About four lines at whole numbers.
function ticks(most) {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500].find((one) => most / one <= 4) ?? 10 ** Math.ceil(Math.log10(most / 4));
  const all = [];
  for (let value = 0; value <= most; value += step) all.push(value);
  return { all, top: Math.max(step, Math.ceil(most / step) * step) };
}

function timeTicks(begin, end) {
  const steps = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400].map((one) => one * 1000);
  const step = steps.find((one) => (end - begin) / one <= 5) ?? end - begin;
  const all = [];
  for (let at = Math.ceil(begin / step) * step; at <= end; at += step) all.push(at);
  return { all, seconds: step < 60_000 };
}

// [{from, to, ceiling}], where neighbours with one ceiling are one.
function stretches(points, end) {
  const all = [];
  points.forEach((point, index) => {
    const to = points[index + 1]?.at ?? end;
    const last = all[all.length - 1];
    if (last && last.ceiling === point.ceiling) last.to = to;
    else all.push({ from: point.at, to, ceiling: point.ceiling });
  });
  return all;
}

function linePath(parts, x, y) {
  let path = '';
  let before = null;
  for (const part of parts) {
    if (part.ceiling !== null) {
      path += before === null ? `M${x(part.from)} ${y(part.ceiling)}` : `V${y(part.ceiling)}`;
      path += `H${x(part.to)}`;
    }
    before = part.ceiling;
  }
  return path;
}

function words(points, plan) {
  const reports = points.filter((point) => point.servable !== null);
  const failed = points.length - reports.length;
  const last = points[points.length - 1];
  const values = reports.map((point) => point.servable);
  return [
    plural(points.length, 'poll'),
    reports.length ? `reports between ${Math.min(...values)} and ${Math.max(...values)}` : 'no report',
    failed ? `${failed} failed` : 'none failed',
    last.ceiling === null ? 'no ceiling now' : `ceiling ${last.ceiling} now`,
    plan === null ? '' : `${plan} admitted`,
  ]
    .filter(Boolean)
    .join(', ');
}

function Legend({ plan, failed, gaps }) {
  return (
    <ul class="legend" aria-hidden="true">
      <li>
        <svg width="22" height="12">
          <path d="M1 6h20" class="line-ceiling" />
        </svg>
        Ceiling
      </li>
      <li>
        <svg width="12" height="12">
          <circle cx="6" cy="6" r="3.5" class="dot" />
        </svg>
        Reported
      </li>
      {failed && (
        <li>
          <svg width="12" height="12">
            <path d="M2.5 2.500l7 7M9.5 2.500l-7 7" class="miss" />
          </svg>
          Failed poll
        </li>
      )}
      {gaps && (
        <li>
          <svg width="22" height="12">
            <rect width="22" height="12" fill="url(#hatch)" />
          </svg>
          No ceiling
        </li>
      )}
      {plan !== null && (
        <li>
          <svg width="22" height="12">
            <path d="M1 6h20" class="line-plan" />
          </svg>
          Admitted
        </li>
      )}
    </ul>
  );
}

export function Chart({ points, asked, problem, now, plan }) {
  if (points.length === 0) {
    return <p class="muted">{!asked ? 'Reading the history' : problem ? 'The history cannot be read.' : 'No poll has ended yet.'}</p>;
  }
  const end = Math.max(now, points[points.length - 1].at + 1000);
  const begin = Math.min(points[0].at, end - SHORTEST);
  const values = points.flatMap((point) => [point.servable, point.ceiling]).filter((value) => value !== null);
  const { all: lines, top } = ticks(Math.max(1, plan ?? 0, ...values));
  const x = (at) => +(LEFT + ((at - begin) / (end - begin)) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value) => +(TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const parts = stretches(points, end);
  const gaps = parts.filter((part) => part.ceiling === null);
  const failed = points.filter((point) => point.servable === null);
  const { all: times, seconds } = timeTicks(begin, end);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`Ceiling against reported values: ${words(points, plan)}`}>
        <defs>
          <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d="M0 0v6" class="hatch" />
          </pattern>
        </defs>
        {lines.map((value) => (
          <g>
            <path d={`M${LEFT} ${y(value)}H${WIDTH - RIGHT}`} class="grid" />
            <text x={LEFT - 6} y={y(value) + 4} class="tick" text-anchor="end">
              {count(value)}
            </text>
          </g>
        ))}
        {times.map((at) => (
          <g>
            <path d={`M${x(at)} ${HEIGHT - BOTTOM}v4`} class="grid" />
            <text x={x(at)} y={HEIGHT - 6} class="tick" text-anchor={x(at) > WIDTH - 40 ? 'end' : 'middle'}>
              {seconds ? clock(at) : clock(at).slice(0, 5)}
            </text>
          </g>
        ))}
        {gaps.map((gap) => (
          <rect x={x(gap.from)} y={TOP} width={Math.max(1, x(gap.to) - x(gap.from))} height={HEIGHT - TOP - BOTTOM} fill="url(#hatch)" />
        ))}
        {plan !== null && <path d={`M${LEFT} ${y(plan)}H${WIDTH - RIGHT}`} class="line-plan" />}
        <path d={linePath(parts, x, y)} class="line-ceiling" />
        {points.map((point) =>
          point.servable === null ? (
            <path d={`M${x(point.at) - 3.5} ${y(0) - 7}l7 7m0 -7l-7 7`} class="miss">
              <title>{`${clock(point.at)}: failed`}</title>
            </path>
          ) : (
            <circle cx={x(point.at)} cy={y(point.servable)} r="3.5" class="dot">
              <title>{`${clock(point.at)}: reported ${point.servable}, ceiling ${point.ceiling ?? 'none'}`}</title>
            </circle>
          ),
        )}
      </svg>
      <Legend plan={plan} failed={failed.length > 0} gaps={gaps.length > 0} />
    </figure>
  );
}
