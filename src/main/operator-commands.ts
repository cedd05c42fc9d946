import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { KEY_SCOPES, type KeyScope, ROLES, type Role } from '../domain/access/access.ts'
import { type Limit, LIMITS, MOST_LIMIT, PLANS } from '../domain/access/plan.ts'
import { isAddress, LINE, LONGEST_NAME } from '../domain/text.ts'
import type { Sql } from '../store/db/sql.ts'
import { jsonOption, type Output, print } from './output.ts'

const LONGEST_STATEMENT_MS = 600_000

/** `org`, `user` and `key`: what an operator does beside the API, straight in the database. */
export function addOperatorCommands(program: Command): void {
  addOrganizationCommands(program.command('org').description('organizations'))
  const user = program.command('user').description('people who log in')
  addUserCommands(user)
  addInvitationCommand(user)
  addKeyCommands(program.command('key').description('API keys'))
  addRestoredCommand(program)
}

/** Where Temporal has its copy, workers notice a restore by themselves. */
function addRestoredCommand(program: Command): void {
  program
    .command('restored')
    .description(
      'after a restore of Postgres while Temporal has lost its data, too: no silence of delivery events proves anything about mails that were claimed before',
    )
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => {
        const { noteRestored } = await import('../store/platform/ledger-beats.ts')
        return { restored: await noteRestored(sql) }
      }),
    )
}

function addOrganizationCommands(org: Command): void {
  org
    .command('create')
    .description('make an organization, its owner and a first API key, which is shown only now')
    .requiredOption('--name <text>', 'name of the organization', name)
    .requiredOption('--owner-email <address>', "the owner's address", address)
    .option('--owner-name <text>', "the owner's name", name, 'Owner')
    .addOption(jsonOption())
    .action((options: { name: string; ownerEmail: string; ownerName: string } & Output) =>
      act(options, async (sql) => {
        const { createOrganization } = await import('./organizations.ts')
        const { organizationId, key } = await createOrganization(sql, options)
        return { organization: organizationId, 'api key': key }
      }),
    )
  org
    .command('list')
    .description('list organizations, oldest first')
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => (await import('../store/access/organizations.ts')).list(sql)),
    )
  org
    .command('show <id>')
    .description('show an organization')
    .addOption(jsonOption())
    .action((id: string, options: Output) =>
      act(options, async (sql) => (await operator()).showOrganization(sql, id)),
    )
  org
    .command('set-plan <id> <plan>')
    .description(`give an organization another plan: ${PLANS.join(', ')}`)
    .addOption(jsonOption())
    .action((id: string, plan: string, options: Output) =>
      act(options, async (sql) => (await operator()).setPlan(sql, id, word(PLANS, plan))),
    )
  org
    .command('set-limit <id>')
    .description('give an organization a figure of its own, whatever its plan says')
    .addArgument(new Argument('<name>', 'which figure').choices(LIMITS))
    .addArgument(
      new Argument('<value>', 'a whole number, or `default`: as its plan says').argParser(figure),
    )
    .addOption(jsonOption())
    .action((id: string, name: Limit, value: number | null, options: Output) =>
      act(options, async (sql) => (await operator()).setLimit(sql, id, name, value)),
    )
}

function addUserCommands(user: Command): void {
  user
    .command('create')
    .description('make a user; the password is asked for, or read from standard input')
    .requiredOption('--email <address>', 'what they log in with', address)
    .requiredOption('--name <text>', 'their name', name)
    .addOption(jsonOption())
    .action((options: { email: string; name: string } & Output) =>
      act(options, async (sql) => {
        const { askPassword } = await import('./ask-password.ts')
        const { createUser } = await operator()
        return createUser(sql, { ...options, password: await askPassword() })
      }),
    )
  user
    .command('list')
    .description('list users, oldest first')
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => (await import('../store/access/users.ts')).list(sql)),
    )
  user
    .command('set-password <email>')
    .description('set a password, asked for or read from standard input; all their sessions end')
    .addOption(jsonOption())
    .action((email: string, options: Output) =>
      act(options, async (sql) => {
        const { askPassword } = await import('./ask-password.ts')
        const { setPassword } = await operator()
        return setPassword(sql, email, await askPassword())
      }),
    )
  user
    .command('add-to-org <email> <organization>')
    .description('make a user a member, or give a member another role')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('member'))
    .addOption(jsonOption())
    .action((email: string, organizationId: string, options: { role: Role } & Output) =>
      act(options, async (sql) => {
        const { addToOrganization } = await operator()
        return addToOrganization(sql, { email, organizationId, role: options.role })
      }),
    )
}

function addInvitationCommand(user: Command): void {
  user
    .command('invite <email> <organization>')
    .description(
      'invite an address without a mail: prints a link that works once, for seven days; needs LETTERLOOM_KEYS and PUBLIC_URL as the API has them',
    )
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('member'))
    .addOption(jsonOption())
    .action((email: string, organizationId: string, options: { role: Role } & Output) =>
      act(options, async (sql, config) => {
        const [{ inviteUser }, { checkedKeyring }] = await Promise.all([
          operator(),
          import('./keys.ts'),
        ])
        const invited = { email: address(email), organizationId, role: options.role }
        const { publicUrl } = config
        return inviteUser(sql, invited, { keyring: checkedKeyring(config), publicUrl })
      }),
    )
}

function addKeyCommands(key: Command): void {
  key
    .command('create')
    .description('make an API key, which is shown only now')
    .requiredOption('--org <id>', 'the organization')
    .requiredOption('--name <text>', 'name of the key', name)
    .option('--scopes <words>', `comma-separated: ${KEY_SCOPES.join(', ')}`, scopes, ['full'])
    .addOption(jsonOption())
    .action((options: { org: string; name: string; scopes: KeyScope[] } & Output) =>
      act(options, async (sql) => {
        const { createKey } = await operator()
        return createKey(sql, { ...options, organizationId: options.org })
      }),
    )
  key
    .command('list')
    .description("list an organization's API keys, newest first")
    .requiredOption('--org <id>', 'the organization')
    .addOption(jsonOption())
    .action((options: { org: string } & Output) =>
      act(options, async (sql) => (await operator()).listKeys(sql, options.org)),
    )
  key
    .command('revoke <id>')
    .description('revoke an API key for ever')
    .requiredOption('--org <id>', 'the organization')
    .addOption(jsonOption())
    .action((id: string, options: { org: string } & Output) =>
      act(options, async (sql) => (await operator()).revokeKey(sql, options.org, id)),
    )
}

const operator = () => import('./operator.ts')

/** Runs it on a connection of its own and prints what it answers. */
export async function act(
  { json }: Output,
  work: (sql: Sql, config: Config) => Promise<object>,
): Promise<void> {
  const config = readConfig()
  const [{ connect }, { required }] = await Promise.all([
    import('../store/db/sql.ts'),
    import('./required.ts'),
  ])
  const sql = connect(required(config.databaseUrl, 'DATABASE_URL'), {
    name: 'letterloom-operator',
    role: 'letterloom_worker',
    max: 2,
    // A day that is counted again is one transaction, which is limited by this, too.
    statementTimeoutMs: LONGEST_STATEMENT_MS,
  })
  try {
    const answer = await work(sql, config)
    print(answer, json)
  } finally {
    await sql.end()
  }
}

function word<T extends string>(words: readonly T[], text: string): T {
  const found = words.find((each) => each === text)
  if (found === undefined) throw new Error(`"${text}" is not one of ${words.join(', ')}`)
  return found
}

function address(text: string): string {
  if (isAddress(text)) return text
  throw new InvalidArgumentError('This is not an email address.')
}

function name(text: string): string {
  const { length } = Array.from(text)
  if (length > 0 && length <= LONGEST_NAME && new RegExp(LINE).test(text)) return text
  throw new InvalidArgumentError(`It has 1 to ${LONGEST_NAME} characters, on one line.`)
}

function figure(text: string): number | null {
  if (text === 'default') return null
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= MOST_LIMIT) return Number(text)
  throw new InvalidArgumentError(`It is 1 to ${MOST_LIMIT}, or default.`)
}

function scopes(text: string): KeyScope[] {
  return text.split(',').map((name) => {
    const found = KEY_SCOPES.find((scope) => scope === name.trim())
    if (!found) throw new InvalidArgumentError(`Scopes are ${KEY_SCOPES.join(', ')}.`)
    return found
  })
}
