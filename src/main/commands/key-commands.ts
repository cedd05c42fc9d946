import { type Command, InvalidArgumentError } from 'commander'
import { KEY_SCOPES, type KeyScope } from '../../domain/access/access.ts'
import type { Transaction } from '../../store/db/sql.ts'
import { change } from './act.ts'
import { name } from './arguments.ts'
import { jsonOption, type Output } from './output.ts'

const MOST_KEYS = 1_000

export function addKeyCommands(key: Command): void {
  key
    .command('create')
    .description('make an API key, which is shown only now')
    .requiredOption('--org <id>', 'the organization')
    .requiredOption('--name <text>', 'name of the key', name)
    .option('--scopes <words>', `comma-separated: ${KEY_SCOPES.join(', ')}`, scopes, ['full'])
    .addOption(jsonOption())
    .action((options: { org: string; name: string; scopes: KeyScope[] } & Output) =>
      change(options, async (tx, actor) => {
        const { id } = await organization(tx, options.org)
        return (await keys()).createKey(tx, id, options, actor)
      }),
    )
  key
    .command('list')
    .description("list an organization's API keys, newest first")
    .requiredOption('--org <id>', 'the organization')
    .addOption(jsonOption())
    .action((options: { org: string } & Output) =>
      change(options, async (tx) => {
        const { list } = await import('../../store/access/api-keys.ts')
        const { id } = await organization(tx, options.org)
        return list(tx, id, { before: undefined, limit: MOST_KEYS })
      }),
    )
  key
    .command('revoke <id>')
    .description('revoke an API key for ever')
    .requiredOption('--org <id>', 'the organization')
    .addOption(jsonOption())
    .action((id: string, options: { org: string } & Output) =>
      change(options, async (tx, actor) => {
        const { id: organizationId } = await organization(tx, options.org)
        const wasLive = await (await keys()).revokeKey(tx, organizationId, id, actor)
        return { id, revoked: true, wasLive }
      }),
    )
}

const keys = () => import('../../core/access/api-keys.ts')

const organization = async (tx: Transaction, id: string) =>
  (await (await import('../../core/access/organizations.ts')).requireOrganization(tx, id))
    .organization

function scopes(text: string): KeyScope[] {
  return text.split(',').map((name) => {
    const keyScope = KEY_SCOPES.find((scope) => scope === name.trim())
    if (!keyScope) throw new InvalidArgumentError(`Scopes are ${KEY_SCOPES.join(', ')}.`)
    return keyScope
  })
}
