// Markdown as our own pages use it, as HTML: headings, paragraphs, lists, tables, code, links. Everything else is text.

export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

type Options = {
  /** The level of the first heading. */
  readonly headings?: number;
  /** Where a link of the text leads on these pages. Undefined: nowhere, and its words stay. */
  readonly linkTo?: (href: string) => string | undefined;
};

export function markdown(text: string, { headings = 1, linkTo = (href) => href }: Options = {}): string {
  const inline = (source: string): string =>
    source
      .split(/(`[^`]+`)/)
      .map((part) => (part.startsWith('`') && part.length > 2 ? `<code>${escapeHtml(part.slice(1, -1))}</code>` : prose(part)))
      .join('');
  const prose = (source: string): string =>
    escapeHtml(source)
      .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label: string, href: string) => {
        const to = /^(https?:\/\/|[./#]|[\w-]+[./#])/.test(href) && !/^(?!https?:)\w+:/.test(href) ? linkTo(href) : undefined;
        return to === undefined ? label : `<a href="${to}">${label}</a>`;
      })
      .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
      .replaceAll(/(?<![\w*])\*([^*\s][^*]*)\*/g, '<em>$1</em>');

  const cells = (row: string): string[] =>
    row
      .replaceAll(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.replaceAll('\\|', '|').trim()));
  const table = ([head = '', , ...rows]: readonly string[]): string =>
    `<div class="wide" tabindex="0"><table><thead><tr>${cells(head)
      .map((cell) => `<th scope="col">${cell || '<span class="hidden">Row</span>'}</th>`)
      .join('')}</tr></thead><tbody>${rows
      .map(
        (row) =>
          `<tr>${cells(row)
            .map((cell) => `<td>${cell}</td>`)
            .join('')}</tr>`,
      )
      .join('')}</tbody></table></div>`;

  const block = (source: string): string => {
    const lines = source.split('\n');
    const first = lines[0] ?? '';
    const heading = /^(#{1,6}) (.+)$/.exec(first);
    if (heading) {
      const level = Math.min(6, (heading[1] ?? '').length - 1 + headings);
      const title = heading[2] ?? '';
      const rest = lines.slice(1).join('\n').trim();
      return `<h${level} id="${slugOf(title)}">${inline(title)}</h${level}>${rest === '' ? '' : block(rest)}`;
    }
    if (first.startsWith('|') && /^\|[\s:|-]+\|?$/.test(lines[1] ?? '')) return table(lines.map((line) => line.trim()));
    const marker = /^(?:- |\d+\. )/;
    if (marker.test(first)) {
      const items: string[] = [];
      for (const line of lines) {
        if (marker.test(line)) items.push(line.replace(marker, ''));
        else items.push(`${items.pop()} ${line.trim()}`);
      }
      const tag = first.startsWith('- ') ? 'ul' : 'ol';
      return `<${tag}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`;
    }
    return `<p>${inline(lines.join(' '))}</p>`;
  };

  return text
    .split(/^(```[^\n]*\n[\s\S]*?^```)$/m)
    .map((part) => {
      const code = /^```[^\n]*\n([\s\S]*?)^```$/m.exec(part);
      if (code) return codeBlock((code[1] ?? '').trimEnd());
      return part
        .split(/\n{2,}/)
        .map((source) => source.trim())
        .filter((source) => source !== '')
        .map(block)
        .join('\n');
    })
    .join('\n');
}

/** It can be wider than the page, so it can be scrolled with the keyboard. */
export const codeBlock = (text: string): string => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;
