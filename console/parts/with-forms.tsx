// What needs the API document. It is asked for again when the service comes back.
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { revival } from '../api.ts';
import { type Forms, loadForms } from '../document.ts';
import { Failure } from './notice.tsx';

export function WithForms({ show }: { readonly show: (forms: Forms) => ComponentChild }) {
  const [forms, setForms] = useState<Forms | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!forms) loadForms().then(setForms, setError);
  }, [revival.value]);
  if (forms) return <>{show(forms)}</>;
  return error === undefined ? <p class="faint">Loading …</p> : <Failure error={error} />;
}
