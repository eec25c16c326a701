// Why a request was refused: in the words of the answer, of its code and of its status, and the members that were wrong.

import { hrefOf } from '../../address.ts';
import type { Item } from '../../api.ts';
import { apiDocument } from '../../document.ts';
import { text } from '../../resources/shared.ts';

type Answer = { readonly reason?: string; readonly details?: { readonly errors?: readonly { field?: string; message?: string }[] } };

function answerOf(request: Item): Answer {
  try {
    return JSON.parse(text(request, 'responseBody')) as Answer;
  } catch {
    return {};
  }
}

/** The page of a request waits for the document, so that nothing moves when it is there. */
export function Explained({ request }: { readonly request: Item }) {
  const code = text(request, 'code');
  const document = apiDocument.value;
  if (code === '' || !document) return null;
  const { reason, details } = answerOf(request);
  const general = document['x-errors'][code]?.reason;
  const status = text(request, 'status');
  return (
    <section class="notice bad explained" aria-label="Why it was refused">
      <strong>
        {reason ?? general} <span class="mono">{code}</span>
      </strong>
      {details?.errors && (
        <ul>
          {details.errors.map(({ field = '', message = '' }) => (
            <li key={field}>
              <span class="mono">{field}</span> {message}
            </li>
          ))}
        </ul>
      )}
      <p>
        {reason !== undefined && general !== reason && `${general} `}
        {status}: {document.components.responses[`Error${status}`]?.description} All codes of{' '}
        <a href={hrefOf(`/simulate?operation=${text(request, 'operation')}`)}>{text(request, 'operation')}</a> can be produced on purpose.
      </p>
    </section>
  );
}
