import { join } from 'node:path'
import { pythonPackages } from '../../src/main/dev/python-packages.ts'

/** Returns the path of Schemathesis, or the reason why it is not available. */
export async function findSchemathesis(
  cacheFolder: string,
  log: (line: string) => void,
): Promise<{ schemathesis: string } | { missing: string }> {
  const packages = await pythonPackages({ tool: 'fuzz', title: 'Schemathesis', cacheFolder, log })
  return 'missing' in packages ? packages : { schemathesis: join(packages.bin, 'schemathesis') }
}
