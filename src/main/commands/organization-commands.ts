import { Argument, type Command, InvalidArgumentError } from 'commander'
import { type Limit, LIMITS, PLANS } from '../../domain/access/plan.ts'
import { act, change } from './act.ts'
import { address, name } from './arguments.ts'
import { jsonOption, type Output } from './output.ts'

export function addOrganizationCommands(org: Command): void {
  org
    .command('create')
    .description('make an organization, its owner and a first API key, which is shown only now')
    .requiredOption('--name <text>', 'name of the organization', name)
    .requiredOption('--owner-email <address>', "the owner's address", address)
    .option('--owner-name <text>', "the owner's name", name, 'Owner')
    .addOption(jsonOption())
    .action((options: { name: string; ownerEmail: string; ownerName: string } & Output) =>
      act(options, async (sql) => {
        const { createOrganization } = await organizations()
        const { organizationId, key } = await createOrganization(sql, options)
        return { organization: organizationId, 'api key': key }
      }),
    )
  org
    .command('list')
    .description('list organizations, oldest first')
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => (await import('../../store/access/organizations.ts')).list(sql)),
    )
  org
    .command('show <id>')
    .description('show an organization')
    .addOption(jsonOption())
    .action((id: string, options: Output) =>
      act(options, async (sql) => (await organizations()).showOrganization(sql, id)),
    )
  org
    .command('set-plan <id> <plan>')
    .description(`give an organization another plan: ${PLANS.join(', ')}`)
    .addOption(jsonOption())
    .action((id: string, plan: string, options: Output) =>
      change(options, async (tx, actor) => {
        const { setPlan, showOrganization } = await organizations()
        await setPlan(tx, id, word(PLANS, plan), actor)
        return showOrganization(tx, id)
      }),
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
      change(options, async (tx, actor) => {
        const { setLimit, showOrganization } = await organizations()
        await setLimit(tx, id, { limit: name, value }, actor)
        return showOrganization(tx, id)
      }),
    )
}

const organizations = () => import('../../core/access/organizations.ts')

function word<T extends string>(words: readonly T[], text: string): T {
  const knownWord = words.find((each) => each === text)
  if (knownWord === undefined) throw new Error(`"${text}" is not one of ${words.join(', ')}`)
  return knownWord
}

function figure(text: string): number | null {
  if (text === 'default') return null
  if (/^[1-9]\d{0,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number from 1, or default.')
}
