// Modules that scripts/build-console.mjs makes from the API document and the recipes.
declare module 'switchyard:operations' {
  export type Entry = {
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly permission: 'VIEW' | 'TRANSACT' | 'MANAGE';
    readonly key?: true;
    readonly isMultipart?: true;
    readonly hasBody?: true;
    readonly isPaged?: true;
    /** Takes the order in which the rows come. */
    readonly isSorted?: true;
  };
  /** The path below which the API is. */
  export const basePath: string;
  const operations: Readonly<Record<string, Entry>>;
  export default operations;
}
declare module 'switchyard:recipes' {
  import type { Recipe } from '../cli/recipe.ts';

  const recipes: readonly Recipe[];
  export default recipes;
}
