// A page whose code is loaded when it is visited.
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { revival } from '../api.ts';
import { Failure } from '../parts/notice.tsx';

type Shown = (props: { readonly id: string }) => ComponentChild;

export function Lazy({ load, id }: { readonly load: () => Promise<Shown>; readonly id: string }) {
  const [page, setPage] = useState<{ readonly Shown: Shown } | undefined>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!page) load().then((Shown) => setPage({ Shown }), setError);
  }, [revival.value]);
  if (page) return <page.Shown id={id} />;
  return error === undefined ? <p class="faint">Loading …</p> : <Failure error={error} />;
}
