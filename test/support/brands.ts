import type { Brand } from '../../src/domain/content/brand.ts'
import { OURS } from '../../src/domain/content/wording.ts'

/** The brand of an organization that has chosen nothing but its name, with `changes`. */
export const brandWith = (name: string, changes: Partial<Brand> = {}): Brand => ({
  ...OURS,
  name,
  accentColor: null,
  backgroundColor: null,
  postalAddress: null,
  ...changes,
})
