/** Adds the index as the React key to items of a list that never changes. */
export function withIndexKeys<Item>(items: readonly Item[]): { key: number; item: Item }[] {
  return items.map((item, key) => ({ key, item }));
}
