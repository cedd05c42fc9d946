import { readFile } from 'node:fs/promises'
import { migrationsFolder } from './migrations-folder.ts'
import type { Executor } from './sql.ts'

export type RoleSettings = Partial<
  Record<'owner' | 'api_login' | 'worker_login' | `${'owner' | 'api' | 'worker'}_password`, string>
>

export async function makeRoles(tx: Executor, settings: RoleSettings = {}): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await tx`select set_config(${`letterloom.${name}`}, ${value}, true)`
  }
  await tx.unsafe(await readFile(new URL('roles.sql', migrationsFolder()), 'utf8'))
}
