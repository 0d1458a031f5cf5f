/** The items of a list that never changes, each with its place as its key: they have no names of their own. */
export function placed<Item>(items: readonly Item[]): { key: number; item: Item }[] {
  return items.map((item, key) => ({ key, item }));
}
