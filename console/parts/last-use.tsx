// When a token called last, as far as the request log goes back.
import { useEffect, useState } from 'preact/hooks';
import { list } from '../api.ts';
import { time } from './time.ts';

export function LastUse({ tokenId }: { readonly tokenId: string }) {
  const [text, setText] = useState('…');
  useEffect(() => {
    list('/requests', new URLSearchParams({ tokenId, limit: '1' })).then(
      ({ data: [last] }) => setText(last ? time(String(last['timestamp'])) : 'not in 7 days'),
      () => setText('–'),
    );
  }, [tokenId]);
  return <span class="mono last-use">{text}</span>;
}
