import type { FastifyRequest } from 'fastify'
import type { HookContext } from '../../src/core/hooks/endpoints.ts'
import type { Transaction } from '../../src/store/db/sql.ts'
import { HOOK_SHARDS } from '../../workflows/contract.ts'
import { actorOf } from '../access/audit.ts'
import type { TenantDeps } from '../deps.ts'

export const hookContextOf = (
  request: FastifyRequest,
  tx: Transaction,
  { keyring, now, allowsHttpHooks }: Pick<TenantDeps, 'keyring' | 'now' | 'allowsHttpHooks'>,
): HookContext => ({
  tx,
  organizationId: request.caller.organizationId,
  keyring,
  actor: actorOf(request, now),
  allowsHttp: allowsHttpHooks,
  shards: HOOK_SHARDS,
})
