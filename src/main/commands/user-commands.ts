import { type Command, Option } from 'commander'
import { type Role, ROLES } from '../../domain/access/access.ts'
import { act, change } from './act.ts'
import { address, name } from './arguments.ts'
import { jsonOption, type Output } from './output.ts'

export function addUserCommands(user: Command): void {
  addInvitationCommand(user)
  user
    .command('create')
    .description('make a user; the password is asked for, or read from standard input')
    .requiredOption('--email <address>', 'what they log in with', address)
    .requiredOption('--name <text>', 'their name', name)
    .addOption(jsonOption())
    .action((options: { email: string; name: string } & Output) =>
      act(options, async (sql) => {
        const { askPassword } = await import('./ask-password.ts')
        const { createUser } = await users()
        return createUser(sql, { ...options, password: await askPassword() })
      }),
    )
  user
    .command('list')
    .description('list users, oldest first')
    .addOption(jsonOption())
    .action((options: Output) =>
      act(options, async (sql) => (await import('../../store/access/users.ts')).list(sql)),
    )
  user
    .command('set-password <email>')
    .description('set a password, asked for or read from standard input; all their sessions end')
    .addOption(jsonOption())
    .action((email: string, options: Output) =>
      act(options, async (sql) => {
        const { askPassword } = await import('./ask-password.ts')
        const { setPassword } = await users()
        return { id: await setPassword(sql, email, await askPassword()) }
      }),
    )
  user
    .command('add-to-org <email> <organization>')
    .description('make a user a member, or give a member another role')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('member'))
    .addOption(jsonOption())
    .action((email: string, organizationId: string, options: { role: Role } & Output) =>
      change(options, async (tx, actor) => {
        const [{ requireUser }, { requireOrganization }, { setMember }] = await Promise.all([
          users(),
          import('../../core/access/organizations.ts'),
          import('../../core/access/members.ts'),
        ])
        const { role } = options
        const { organization } = await requireOrganization(tx, organizationId)
        const userId = await requireUser(tx, email)
        await setMember(tx, organization.id, { userId, role }, actor)
        return { userId, organizationId, role }
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
      change(options, async (tx, actor, config) => {
        const [{ inviteByLink }, { requireOrganization }, { checkedKeyring }, { invitationUrl }] =
          await Promise.all([
            import('../../core/access/invitations.ts'),
            import('../../core/access/organizations.ts'),
            import('../programs/keys.ts'),
            import('../../keys/invitation-links.ts'),
          ])
        const keyring = checkedKeyring(config)
        const invitee = { email: address(email), role: options.role }
        const { organization } = await requireOrganization(tx, organizationId)
        const invitation = await inviteByLink(tx, organization.id, invitee, actor)
        const { id, role, expiresAt } = invitation
        const link = invitationUrl(keyring, config.publicUrl, {
          ...invitation,
          organizationId: organization.id,
        })
        return { invitation: id, role, expiresAt, link }
      }),
    )
}

const users = () => import('../../core/access/users.ts')
