// The page on which the user of the sandbox decides how a liveness check ends. It loads nothing from elsewhere.
import { createHash } from 'node:crypto';
import type { LivenessOutcome } from './sca.js';

export type Page = { readonly html: string; readonly headers: Record<string, string> };

const SCRIPT = `
const token = new URLSearchParams(location.search).get('token');
for (const button of document.querySelectorAll('button')) button.addEventListener('click', async () => {
  const body = JSON.stringify({ token, outcome: button.value });
  const answer = await fetch('liveness', { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined);
  document.querySelector('#result').textContent = answer && answer.ok ? 'Done. You can close this page.' : 'This check is over.';
});
`;

const LABELS: Readonly<Record<LivenessOutcome, string>> = {
  PASS: 'Pass the check',
  FAIL: 'Fail the check',
  REVIEW: 'Leave it to a manual review',
};

export function livenessPage(outcomes: readonly LivenessOutcome[]): Page {
  const buttons = outcomes.map((outcome) => `<button type="button" value="${outcome}">${LABELS[outcome]}</button>`).join('\n');
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  return {
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Liveness check</title></head>
<body><h1>Liveness check of the sandbox</h1>
${buttons}
<p id="result" role="status"></p><script>${SCRIPT}</script></body></html>
`,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'sha256-${hash}'; connect-src 'self'`,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
  };
}
