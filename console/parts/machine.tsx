// The state machine of an object as a picture, drawn from the transitions that the service serves: ranks from left to right, the present
// state filled, states that the object has been in grey, states that can follow outlined, the rest faint. A state that an action leads to
// opens it. The same as a list for screen readers.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { loadTransitions, type Transition } from '../document.ts';
import type { Action } from '../resources/types.ts';
import { opened } from './form.tsx';
import { BOX_HEIGHT, layoutOf } from './machine-layout.ts';

const wordsOf = (name: string): string => name.replaceAll('_', ' ').toLowerCase();

type Props = {
  readonly name: string;
  readonly type: string;
  readonly now: string;
  /** Words of the states that the object has been in: statuses, and types of events that end with one. */
  readonly history: readonly string[];
  /** The action that leads to a state, if the reader may take it now. */
  readonly actionTo: (state: string) => Action | undefined;
  readonly onReady: () => void;
};

/** The longest state that a word ends with, so that PARTIALLY_SETTLED is not taken for SETTLED. */
export const stateIn = (word: string, states: readonly string[]): string | undefined =>
  states
    .filter((state) => word === state || word.endsWith(`_${state}`) || word.endsWith(`.${state}`))
    .sort((a, b) => b.length - a.length)[0];

export function Machine({ name, type, now, history, actionTo, onReady }: Props) {
  const [transitions, setTransitions] = useState<readonly Transition[]>([]);
  useEffect(() => {
    loadTransitions(name, type)
      .then(setTransitions, () => setTransitions([]))
      .finally(onReady);
  }, [name, type]);
  const { states, moves, boxWidth, width, height } = useMemo(() => layoutOf(transitions), [transitions]);
  const scroller = useRef<HTMLDivElement>(null);
  // On a small screen the picture is wider than its place: the present state is what the reader looks for. The place has a width once the
  // page is shown.
  useEffect(() => {
    const place = scroller.current;
    const present = states.find((state) => state.name === now);
    if (!place || !present) return;
    const centre = new ResizeObserver(() => {
      place.scrollLeft = present.x + boxWidth / 2 - place.clientWidth / 2;
    });
    centre.observe(place);
    return () => centre.disconnect();
  }, [states, now]);
  if (transitions.length === 0) return null;
  const names = states.map((state) => state.name);
  const next = new Set(transitions.filter(({ from }) => from === now).map(({ to }) => to));
  const visited = new Set(history.map((word) => stateIn(word, names)));
  const open = (action: Action) => {
    opened.value = action;
  };
  return (
    <figure class="machine">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard. */}
      <div class="scroll-x" tabIndex={0} ref={scroller}>
        <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          <defs>
            {['arrow', 'legal-arrow'].map((id) => (
              <marker key={id} id={id} viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
                <path d="M0 0 L8 4 L0 8 z" />
              </marker>
            ))}
          </defs>
          {/* Moves that can follow are drawn last, over the others. */}
          {[...moves]
            .sort((one, other) => Number(one.from === now) - Number(other.from === now))
            .map(({ from, to, path }) => (
              <path
                key={`${from} ${to}`}
                class={from === now ? 'move legal' : 'move'}
                d={path}
                marker-end={`url(#${from === now ? 'legal-arrow' : 'arrow'})`}
              />
            ))}
          {states.map(({ name: state, x, y }) => {
            const action = next.has(state) ? actionTo(state) : undefined;
            const looks = [state === now && 'now', visited.has(state) && 'visited', next.has(state) && 'legal', action && 'open'];
            return (
              // biome-ignore lint/a11y/noStaticElementInteractions: the picture is hidden from screen readers; the head of the page has the same button.
              <g key={state} class={`state ${looks.filter(Boolean).join(' ')}`} onClick={action && (() => open(action))}>
                <rect x={x} y={y} width={boxWidth} height={BOX_HEIGHT} rx="6" />
                <text x={x + boxWidth / 2} y={y + 18}>
                  {wordsOf(state)}
                </text>
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption>
        Now {wordsOf(now)}. {next.size === 0 ? 'Nothing follows.' : `What can follow: ${[...next].map(wordsOf).join(', ')}.`}
        <ul class="unseen" aria-label="States">
          {names.map((state) => {
            const action = next.has(state) ? actionTo(state) : undefined;
            const word = state === now ? 'now' : next.has(state) ? 'can follow' : visited.has(state) ? 'was before' : 'not now';
            return (
              <li key={state}>
                {wordsOf(state)}: {word}
                {action && `, by ${action.label}`}
              </li>
            );
          })}
        </ul>
      </figcaption>
    </figure>
  );
}
