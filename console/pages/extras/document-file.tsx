// The file of a document. It is read through an operation that is logged, and handed to the browser as a download.
import { useState } from 'preact/hooks';
import { download, may } from '../../api.ts';
import { Failure } from '../../parts/notice.tsx';
import { save } from '../../parts/save.ts';

export function DocumentFile({ id, name }: { readonly id: string; readonly name: string }) {
  const [error, setError] = useState<unknown>();
  if (!may('MANAGE')) return null;
  const fetchFile = () =>
    download('POST', `/documents/${encodeURIComponent(id)}/download`, '*/*').then((file) => {
      setError(undefined);
      save(file, name);
    }, setError);
  return (
    <section class="related">
      {error !== undefined && <Failure error={error} />}
      <button type="button" onClick={() => void fetchFile()}>
        Download the file
      </button>
    </section>
  );
}
