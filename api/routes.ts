import { readdir } from 'node:fs/promises'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { LoginGuard } from './access/login.ts'
import type { Deps } from './deps.ts'

type Routes = FastifyPluginAsyncTypebox<Deps & { guard: LoginGuard }>

const IN_ROUTES = /(?:^|[/\\])routes[/\\][^/\\]+(?<!\.d)\.[jt]s$/

/**
 * Loads the exports of all files in `routes` folders, in the order of their paths. Every file there
 * is registered.
 */
export async function findRoutes(): Promise<Routes[]> {
  const paths = await readdir(import.meta.dirname, { recursive: true })
  const files = paths.filter((path) => IN_ROUTES.test(path)).toSorted()
  const modules = await Promise.all(
    files.map((path): Promise<Record<string, Routes>> => import(/* @vite-ignore */ `./${path}`)),
  )
  return modules.flatMap((exported) => Object.values(exported))
}
