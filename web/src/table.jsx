// A table of which only the rows in sight exist. All rows have one height, so where a row stands follows from its
// number. The page scrolls, not the table: on a phone two things that scroll get in each other's way.
//
// One row is in the tab order; arrow keys go to others. It exists also when it is out of sight, so that the focus is
// not lost while one scrolls.
import { Component } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icons.jsx';

const SPARE_ROWS = 8;

class Row extends Component {
  shouldComponentUpdate(next) {
    const now = this.props;
    return ['row', 'index', 'height', 'tabbable', 'selected', 'second', 'columns'].some((name) => now[name] !== next[name]);
  }

  render({ row, index, height, tabbable, selected, columns, now, onOpen, onFocus, openLabel }) {
    return (
      <div
        role="row"
        aria-rowindex={index + 2}
        class={`row state-${row.state} ${selected ? 'selected' : ''}`}
        style={{ height: `${height}px`, transform: `translateY(${index * height}px)` }}
        onClick={() => onOpen(row)}
      >
        {columns.map((column) => (
          <div role="cell" class={`cell col-${column.id}`}>
            {column.main ? (
              <button
                type="button"
                class="row-button"
                data-index={index}
                tabIndex={tabbable ? 0 : -1}
                aria-expanded={selected}
                aria-haspopup={column.popup}
                onFocus={() => onFocus(row)}
                onClick={(event) => {
                  event.stopPropagation();
                  onOpen(row);
                }}
              >
                {column.cell(row, now)}
                <span class="hidden">{openLabel(row)}</span>
              </button>
            ) : (
              column.cell(row, now)
            )}
          </div>
        ))}
      </div>
    );
  }
}

function Heads({ columns, sort, onSort }) {
  const by = sort.replace('-', '');
  const turned = sort.startsWith('-');
  return (
    <div role="rowgroup" class="heads">
      <div role="row" aria-rowindex={1} class="row head-row">
        {columns.map((column) => {
          const active = column.order === by;
          return (
            <div role="columnheader" class={`cell col-${column.id}`} aria-sort={active ? (turned ? 'descending' : 'ascending') : undefined}>
              {column.order ? (
                <button type="button" onClick={() => onSort(active && !turned ? `-${by}` : column.order)}>
                  {column.label}
                  <span class={active ? 'arrow' : 'arrow idle'}>
                    <Icon name={active && turned ? 'down' : 'up'} />
                  </span>
                </button>
              ) : (
                column.label
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

// The numbers of the rows in sight, as the page stands now.
function useWindow(body, rows, height) {
  const [range, setRange] = useState([0, 40]);
  useLayoutEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      if (!body.current) return;
      const top = body.current.getBoundingClientRect().top;
      const first = Math.max(0, Math.floor(-top / height) - SPARE_ROWS);
      const last = Math.ceil((window.innerHeight - top) / height) + SPARE_ROWS;
      setRange((old) => (old[0] === first && old[1] === last ? old : [first, last]));
    };
    const later = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    window.addEventListener('scroll', later, { passive: true });
    window.addEventListener('resize', later);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', later);
      window.removeEventListener('resize', later);
    };
  }, [rows, height]);
  return range;
}

function stepOf(key, index, last, page) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -index, End: last - index };
  return key in steps ? Math.min(last, Math.max(0, index + steps[key])) : null;
}

// What sticks to the top must not cover the row that is gone to.
function showRow(body, index, height) {
  const sticky = document.querySelector('.heads')?.getBoundingClientRect().height ?? 0;
  const top = body.getBoundingClientRect().top + index * height;
  if (top < sticky) window.scrollBy(0, top - sticky);
  else if (top + height > window.innerHeight) window.scrollBy(0, top + height - window.innerHeight);
}

export function Table({ label, rows, columns, height, second, now, sort, selected, className, onSort, onOpen, openLabel }) {
  const body = useRef(null);
  const [active, setActive] = useState(null);
  const [first, last] = useWindow(body, rows.length, height);
  const activeIndex = Math.max(0, rows.findIndex((row) => row.key === active));

  useEffect(() => {
    if (selected !== null) setActive(selected);
  }, [selected]);

  const go = (event) => {
    const index = stepOf(event.key, activeIndex, rows.length - 1, Math.max(1, Math.floor(window.innerHeight / height) - 4));
    if (index === null || !event.target.classList.contains('row-button')) return;
    event.preventDefault();
    setActive(rows[index].key);
    showRow(body.current, index, height);
    // The row may come to be with the next rendering only.
    requestAnimationFrame(() => requestAnimationFrame(() => body.current?.querySelector(`[data-index="${index}"]`)?.focus({ preventScroll: true })));
  };

  const indexes = [];
  for (let index = first; index < Math.min(last, rows.length); index += 1) indexes.push(index);
  if (rows.length > 0 && (activeIndex < first || activeIndex >= last)) {
    activeIndex < first ? indexes.unshift(activeIndex) : indexes.push(activeIndex);
  }

  return (
    <div role="table" aria-label={label} aria-rowcount={rows.length + 1} class={`table ${className}`}>
      <Heads columns={columns} sort={sort} onSort={onSort} />
      <div role="rowgroup" class="body" ref={body} style={{ height: `${rows.length * height}px` }} onKeyDown={go}>
        {indexes.map((index) => (
          <Row
            key={rows[index].key}
            row={rows[index]}
            index={index}
            height={height}
            columns={columns}
            second={second}
            now={now}
            tabbable={index === activeIndex}
            selected={rows[index].key === selected}
            onOpen={onOpen}
            onFocus={(row) => setActive(row.key)}
            openLabel={openLabel}
          />
        ))}
      </div>
    </div>
  );
}
