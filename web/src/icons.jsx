// Shapes that tell states apart without color. They are decoration: the word stands beside them.

const SHAPES = {
  check: <path d="M3.5 8.5 6.5 11.5 12.5 4.8" />,
  stop: (
    <>
      <path d="M5.6 2h4.8L14 5.6v4.8L10.4 14H5.6L2 10.4V5.6Z" fill="currentColor" />
      <path d="M5 8h6" class="cut" />
    </>
  ),
  triangle: (
    <>
      <path d="M8 2.2 14.4 13.5H1.6Z" />
      <path d="M8 6.5v3.2M8 11.6v.1" />
    </>
  ),
  fallback: <path d="M2.5 4.5h6a4 4 0 0 1 0 8H6M5 2 2.5 4.5 5 7" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.4 1.6" />
    </>
  ),
  skew: (
    <>
      <circle cx="6.5" cy="8" r="4.5" />
      <path d="M6.5 5.6V8l1.6 1M13.5 4.5v7M12 6l1.5-1.5L15 6" />
    </>
  ),
  key: <path d="M10.5 8a3 3 0 1 1-.9-2.1M9.9 7H15v2.5M12.5 7v2" />,
  drain: <path d="M3 3h10M4.5 6h7M6.5 9h3M8 11.5v2" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  dots: <path d="M3 8h.1M8 8h.1M13 8h.1" class="dots" />,
  dash: <path d="M3.5 8h9" />,
  frost: <path d="M8 2v12M2.800 5l10.400 6M13.200 5 2.800 11" />,
  passed: (
    <>
      <path d="M5.600 2h4.800L14 5.600v4.800L10.400 14H5.600L2 10.400V5.600Z" />
      <path d="M5 8h6M8.800 5.600 11.200 8 8.800 10.400" />
    </>
  ),
  cross: <path d="M4 4l8 8M12 4l-8 8" />,
  question: <path d="M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.6 8 9 8 10M8 12.6v.1" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  up: <path d="M8 12.5v-9M4.5 7 8 3.5 11.5 7" />,
  down: <path d="M8 3.5v9M4.5 9 8 12.5 11.5 9" />,
  homes: <path d="M2.5 7.5 8 3l5.5 4.5M4 6.5V13h8V6.5" />,
  gauge: <path d="M2.5 11.5a5.5 5.5 0 1 1 11 0M8 11.5l2.5-4" />,
  map: <path d="M8 13.5V8M8 8 3.5 3.5M8 8l4.5-4.5M3.5 6.5v-3h3M9.5 3.5h3v3" />,
};

export function Icon({ name }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      {SHAPES[name]}
    </svg>
  );
}
