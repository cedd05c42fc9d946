import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './files.ts'

interface Locked {
  integrity?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

/** Locks by which something is installed. */
const LOCKS = ['package-lock.json', 'tools/client/package-lock.json']

const read = (lock: string): Record<string, Locked> =>
  (JSON.parse(readFileSync(join(root, lock), 'utf8')) as { packages: Record<string, Locked> })
    .packages

it.each(LOCKS)(
  'every package of %s has a hash that it is checked by, on every platform',
  (lock) => {
    const packages = Object.entries(read(lock))
    const unchecked = packages.filter(
      ([path, { integrity, link }]) => path !== '' && !link && !integrity?.startsWith('sha512-'),
    )
    // `node tools/complete-lock.mjs` adds them.
    expect(unchecked.map(([path]) => path)).toEqual([])
    expect(packages.length).toBeGreaterThan(10)
  },
)

it('the lock holds every optional package of every platform, without which `npm ci` refuses it', () => {
  const packages = read('package-lock.json')
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  )
  const missing = wanted.filter((name) => !packages[`node_modules/${name}`])
  // `node tools/complete-lock.mjs` adds them.
  expect(missing).toEqual([])
  expect(wanted.length).toBeGreaterThan(50)
})
