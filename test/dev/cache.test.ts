import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cacheFolder, toolFolder } from '../../src/dev/cache.ts'

test.each([
  ['linux', undefined, '/home/ann/.cache/letterloom'],
  ['linux', '', '/home/ann/.cache/letterloom'],
  ['linux', '/caches', '/caches/letterloom'],
  ['darwin', '/caches', '/home/ann/Library/Caches/letterloom'],
] as const)(
  'on %s with XDG_CACHE_HOME %s tools are kept in %s',
  (platform, xdgCacheHome, folder) => {
    expect(cacheFolder({ platform, home: '/home/ann', xdgCacheHome })).toBe(folder)
  },
)

test('what builds the tools is found', () => {
  expect(existsSync(join(toolFolder('temporal'), 'go.sum'))).toBe(true)
  expect(() => toolFolder('no-such-tool')).toThrow('tools/no-such-tool is missing')
})
