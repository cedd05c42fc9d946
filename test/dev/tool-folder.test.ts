import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toolFolder } from '../../src/main/dev/tool-folder.ts'

test('the folder of a tool is found', () => {
  expect(existsSync(join(toolFolder('fuzz'), 'requirements.txt'))).toBe(true)
  expect(() => toolFolder('no-such-tool')).toThrow('tools/no-such-tool is missing')
})
