import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from './files.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

it('installs run no script of any package', () => {
  // Every version of npm heeds this one; `allowScripts` only the newer ones.
  for (const folder of ['', 'tools/client']) {
    expect(read(join(folder, '.npmrc')).split('\n'), folder).toContain('ignore-scripts=true')
  }
  expect(read('Dockerfile')).toMatch(/^COPY package.json package-lock.json .npmrc/m)
})

it('every package that has one was looked at and can do without', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const { allowScripts } = JSON.parse(read('package.json')) as {
    allowScripts: Record<string, boolean>
  }
  const withScript = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''))
  // A new one? See what its script does; if it is needed, do that in our own code.
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort())
  expect(Object.values(allowScripts).filter(Boolean)).toEqual([])
})
