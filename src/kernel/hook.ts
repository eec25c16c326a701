// Hooks: how a domain calls domains that come after it in the list of modules. The earlier domain declares the hook by name and type,
// the later ones listen. ARCHITECTURE.md draws every hook.

/** `Listener` is a function, or an object of functions where one domain answers several questions. */
export type Hook<Listener> = {
  readonly name: string;
  /** Never set: it only carries the type. */
  readonly listener?: Listener;
};

export const defineHook = <Listener>(name: string): Hook<Listener> => ({ name });

export type Hooks = {
  /** All listeners, in the order of the modules. */
  all<Listener>(hook: Hook<Listener>): readonly Listener[];
  /** The one listener of a hook that has exactly one. */
  only<Listener>(hook: Hook<Listener>): Listener;
};

export type Listening = { readonly hook: Hook<unknown>; readonly listener: unknown };

export function createHooks(listening: readonly Listening[]): Hooks {
  const listenersOf = new Map<Hook<unknown>, unknown[]>();
  for (const { hook, listener } of listening) listenersOf.set(hook, [...(listenersOf.get(hook) ?? []), listener]);
  // `listen` of module.ts is the only way in, and it pairs a hook with a listener of its type.
  const all = <Listener>(hook: Hook<Listener>) => (listenersOf.get(hook) ?? []) as Listener[];
  return {
    all,
    only(hook) {
      const [listener, ...others] = all(hook);
      if (listener === undefined || others.length > 0) throw new Error(`hook ${hook.name} has ${others.length + 1} listeners, not one`);
      return listener;
    },
  };
}
