import type { Brand } from '../../src/domain/content/brand.ts'
import { OURS } from '../../src/domain/content/wording.ts'

/** The default brand of an organization with this name, and `changes`. */
export const brandWith = (name: string, changes: Partial<Brand> = {}): Brand => ({
  ...OURS,
  name,
  accentColor: null,
  backgroundColor: null,
  postalAddress: null,
  ...changes,
})
