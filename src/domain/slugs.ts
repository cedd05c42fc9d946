import { type AppError, conflict } from './errors.ts'

const MOST_SLUG = 80

/**
 * Creates a record under the requested slug, or under one derived from its name, or under a free
 * one. `create` returns undefined if a slug is taken. So does this function if the requested slug
 * is.
 */
export async function underSlug<T>(
  { name, slug, id, fallback }: { name: string; slug?: string; id: string; fallback: string },
  create: (slug: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  if (slug !== undefined) return create(slug)
  const words = name
    .toLowerCase()
    .normalize('NFKD')
    .match(/[a-z0-9]+/g) ?? [fallback]
  const nameSlug = words.join('-').slice(0, MOST_SLUG)
  return (await create(nameSlug)) ?? create(`${nameSlug}-${id.slice(-8)}`)
}

/** Returns a 409 for a requested slug. `what` is the resource: `topic`. */
export const slugTaken = (what: string): AppError =>
  conflict(`Another ${what} has this slug`, {
    reason: 'slug_taken',
    details: [{ path: 'slug', message: 'is taken' }],
  })
