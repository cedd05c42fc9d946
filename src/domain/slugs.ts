import { type AppError, conflict } from './errors.ts'

const MOST_SLUG = 80

/**
 * Creates something under the slug that was asked for and no other; else under one made of its
 * name, or one that nobody has. `create` answers undefined where a slug is taken; so does this.
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
  const made = words.join('-').slice(0, MOST_SLUG)
  return (await create(made)) ?? create(`${made}-${id.slice(-8)}`)
}

/** 409 for a slug that was asked for. `what`: `topic`. */
export const slugTaken = (what: string): AppError =>
  conflict(`Another ${what} has this slug`, {
    reason: 'slug_taken',
    details: [{ path: 'slug', message: 'is taken' }],
  })
