// Keys that work everywhere, which a reader can switch off. The choice is kept in the browser.
import { signal } from '@preact/signals';

const KEY = 'keys';

export const hasKeys = signal(localStorage.getItem(KEY) !== 'off');

export function setKeys(isOn: boolean): void {
  hasKeys.value = isOn;
  if (isOn) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}
