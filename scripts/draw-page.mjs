// HTML of elements that components return, for what is drawn once at build time. Components must be plain functions.
const ESCAPED = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => ESCAPED[letter]);
const EMPTY = new Set(['input', 'br', 'hr', 'img', 'meta', 'link']);
const NAMES = { tabIndex: 'tabindex' };

const attribute = ([name, value]) => {
  if (name === 'children' || value === undefined || value === null || value === false || typeof value === 'function') return '';
  return ` ${NAMES[name] ?? name}${value === true ? '' : `="${escaped(value)}"`}`;
};

export function htmlOf(node) {
  if (Array.isArray(node)) return node.map(htmlOf).join('');
  if (node === undefined || node === null || typeof node === 'boolean') return '';
  if (typeof node !== 'object') return escaped(node);
  const { type, props } = node;
  if (typeof type === 'function') return htmlOf(type(props));
  const start = `<${type}${Object.entries(props).map(attribute).join('')}>`;
  return EMPTY.has(type) ? start : `${start}${htmlOf(props.children)}</${type}>`;
}
