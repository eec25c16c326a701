// A part of a page that has nothing to wait for.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

export function Ready({ children, onReady }: { readonly children: ComponentChildren; readonly onReady: () => void }) {
  useEffect(onReady, []);
  return <>{children}</>;
}
