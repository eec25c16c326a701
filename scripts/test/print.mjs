// What `npm test` prints.

const indented = (text, depth) => text.replaceAll(/^/gm, '  '.repeat(depth));

/** A file with its tests, in their order. */
export function fileText({ file, lines, tests, seconds }) {
  const told = lines
    .filter(({ nesting, message }) => nesting > 0 || message !== undefined)
    .map(({ nesting, message, name, ms, isSuite, isSkipped, hasFailed }) => {
      if (message !== undefined) return indented(`ℹ ${message}`, nesting + 1);
      const mark = ms === undefined || hasFailed ? '✖' : isSkipped ? '﹣' : isSuite ? '▶' : '✔';
      return indented(`${mark} ${name} (${ms === undefined ? 'not ended' : `${ms.toFixed(0)} ms`})`, nesting);
    });
  return `${[`${file} (${tests} tests, ${seconds.toFixed(1)} s)`, ...told].join('\n')}\n`;
}

export const failuresText = (failures) =>
  failures.map(({ file, name, error }) => `\n✖ test/${file}: ${name}\n${indented(error, 1)}\n`).join('');

/** The time of each file, the longest first: as it passed, and what its process spent (without PostgreSQL). */
export function timesText(results, total) {
  const figure = (seconds) => seconds.toFixed(2).padStart(8);
  const sorted = [...results].sort((a, b) => b.seconds - a.seconds);
  const spent = sorted.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
  const rows = sorted.map(
    ({ file, seconds, processorSeconds, tests }) =>
      `${figure(seconds)} ${figure(processorSeconds)}  ${String(tests).padStart(4)} tests  ${file}`,
  );
  return `\n seconds processor\n${rows.join('\n')}\n${figure(total)} ${figure(spent)}  in all\n`;
}

export function summaryOf(results, failures) {
  const count = (key) => results.reduce((sum, result) => sum + result[key], 0);
  const skipped = count('skipped');
  return `${count('passed')} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
