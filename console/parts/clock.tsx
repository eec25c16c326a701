// The clock of the platform, as it runs or stands.
import { useEffect, useState } from 'preact/hooks';
import { clock, clockNow } from '../live.ts';
import { time } from './time.ts';

export function ClockText() {
  const [, tick] = useState(0);
  const isFrozen = clock.value?.isFrozen ?? false;
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, []);
  const [day, hour] = time(new Date(clockNow()).toISOString()).split(' ');
  return (
    <>
      <time class="mono">
        <span class="day">{day}</span> {hour}
      </time>
      <span class={`badge ${isFrozen ? 'info' : 'ok'}`}>{isFrozen ? 'frozen' : 'running'}</span>
    </>
  );
}
