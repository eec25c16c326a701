// Timestamps as PostgreSQL reads them.

let last: { readonly at: number; readonly text: string } | undefined;

/** PostgreSQL knows neither the signed years of ISO 8601 nor a year zero. Many rows of one statement have the same time. */
export function momentText(moment: Date): string {
  const at = moment.getTime();
  if (last?.at !== at) last = { at, text: textOf(moment) };
  return last.text;
}

function textOf(moment: Date): string {
  const text = moment.toISOString();
  const year = moment.getUTCFullYear();
  if (year >= 1 && year <= 9999) return text;
  const rest = text.slice(text.indexOf('-', 1));
  return year > 9999 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
